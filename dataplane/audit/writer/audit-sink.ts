import type { Logger } from 'pino';
import type { MayReach } from '../../../contract/egress.ts';
import type { AuditQueries } from '../handlers/queries/audit-queries.ts';
import type { AuditEvent } from './audit-event.ts';

/** Options of a sink: plain data that can be sent to the thread of the writer. */
export type SinkOptions = Readonly<Record<string, unknown>>;

/** An event that the destination will never take. */
export interface RefusedEvent {
  /** Its place in the batch. */
  readonly at: number;
  /** Why, without secrets and without content of the event. */
  readonly reason: string;
}

/** The destination cannot take events now; the batch is delivered again after a pause. */
export class Undelivered extends Error {
  /** How many events at the beginning of the batch are safe, or refused for good. */
  readonly delivered: number;
  /** Those of them that were refused. */
  readonly refused: readonly RefusedEvent[];

  /** @param message why, without secrets: it is logged */
  constructor(options: {
    readonly delivered: number;
    readonly message: string;
    readonly refused?: readonly RefusedEvent[];
  }) {
    super(options.message);
    this.name = 'Undelivered';
    this.delivered = options.delivered;
    this.refused = options.refused ?? [];
  }
}

/** Destination of the events of one handler. One batch is under way at a time; a sink may pipeline within it. */
export interface AuditSink {
  /** Most events and bytes of a batch. An event larger than `bytes` comes alone. */
  readonly batch: { readonly events: number; readonly bytes: number };
  /**
   * Resolves when every event of the batch is safe at the destination (acknowledged, or handed to the kernel for files),
   * or refused for good. Refused events are counted as dropped and never tried again.
   *
   * @throws Undelivered when the destination cannot take events now; any other error means that none is safe
   */
  deliver(batch: readonly AuditEvent[]): Promise<readonly RefusedEvent[]>;
  /** Answers queries; missing where the destination cannot be asked. */
  readonly queries?: AuditQueries;
  /** Connects before there are events, where that makes sense. A failure is only logged. */
  open?(): Promise<void>;
  /** The writer is about to stop: pauses that only save work end. */
  hurry?(): void;
  /** Releases what it holds. No batch is under way. */
  close(): Promise<void>;
}

/** Services of the writer for one sink. */
export interface SinkContext {
  readonly log: Logger;
  /** Name of the handler. */
  readonly name: string;
  /** Name of the audit service. */
  readonly service: string;
  /** The tenant of the service; empty for operators. */
  readonly realm: string;
  /** Whether a connection may be opened to a numeric address: what the tenant of the service may reach, or an operator. */
  readonly mayReach: MayReach;
  /** Writes whole lines to the standard output of the data plane. Resolves when the system has taken them. */
  writeStdout(lines: Buffer): Promise<void>;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Opens the sink of a handler. @throws Error that says what of the options cannot be used */
export type OpenSink = (options: SinkOptions, context: SinkContext) => AuditSink;
