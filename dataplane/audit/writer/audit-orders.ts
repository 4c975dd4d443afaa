import type { SinkOptions } from './audit-sink.ts';

/** What becomes of events when a handler cannot hold more of them. */
export type WhenFull = 'DROP' | 'REFUSE_TRAFFIC';

/** One handler of a service, as the writer needs it. */
export interface AuditHandlerSettings {
  /** Unique in its service. */
  readonly name: string;
  /** Key of `writer/sinks.ts`, such as `JmsAuditEventHandler`. */
  readonly className: string;
  /** Some of the topics of the service. */
  readonly topics: readonly string[];
  readonly queue: { readonly maxEvents: number; readonly maxBytes: number };
  readonly spool: { readonly directory: string; readonly maxSize: number } | null;
  readonly whenFull: WhenFull;
  readonly options: SinkOptions;
  /** Why there are no options yet, such as a missing secret: events wait until others come. */
  readonly unavailable?: string;
}

/** An audit service, as plain data. Disabled handlers are not in it. */
export interface AuditServiceSettings {
  /** The same for equal declarations of all units, and after one of their secrets changed: `parts.declaration()`. */
  readonly identity: string;
  readonly name: string;
  /** The tenant; empty for operators. */
  readonly realm: string;
  /** Topics of the records in the ring: a record holds a place in this list. */
  readonly topics: readonly string[];
  readonly handlers: readonly AuditHandlerSettings[];
  /** Name of the handler that answers queries, or null. */
  readonly queryHandler: string | null;
}

/** Messages of a unit about audit, which the supervisor passes on to the writer. */
export type AuditOrder =
  /** Again with the same number and identity: new settings, such as a rotated secret. */
  | {
      readonly kind: 'audit-open';
      /** Number of the service in this unit, as it stands in the records of the ring; never used again. */
      readonly service: number;
      readonly settings: AuditServiceSettings;
      /** The ring of the unit: one for all of its services (`link/ring-layout.ts`). */
      readonly ring: SharedArrayBuffer;
      /** Shared words of this unit and service (`link/audit-state.ts`). */
      readonly state: SharedArrayBuffer;
    }
  /** The unit writes no more records of this service; those in the ring are delivered still. */
  | { readonly kind: 'audit-close'; readonly service: number };
