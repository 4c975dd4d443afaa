import type { ForbiddenPlace } from '../../../contract/egress.ts';
import type { Endpoint } from '../../engine/wire/wire.ts';
import type { LogLevel } from '../../log/log-level.ts';
import type { AuditOrder } from './audit-orders.ts';
import type { AuditAnswer, AuditRequest } from './audit-request.ts';

/** Accounts of a handler, with the labels of its metrics. */
export interface OpenAccounts {
  /** Unique: a service that is opened again while it is being closed has other accounts. */
  readonly key: string;
  /** Identity of the service; empty for records that no service has. */
  readonly identity: string;
  readonly service: string;
  readonly handler: string;
  readonly buffer: SharedArrayBuffer;
}

/** Addresses that sinks may or may not connect to, and what else operators allow tenants. */
export interface WriterReach {
  /** Where the plane itself listens. */
  readonly listeners: readonly Endpoint[];
  /** Rules that open addresses to tenants. */
  readonly egress: readonly string[];
  /** Addresses that tenants may not connect to. */
  readonly forbidden: readonly ForbiddenPlace[];
  /** Ports of the application beside a sidecar. */
  readonly appPorts: readonly number[];
  /** Memory for the queues of one tenant. */
  readonly auditQueueBytes?: number | undefined;
}

/** Start parameters of the thread. */
export interface WriterOptions {
  readonly role: 'gatewarden-audit-writer';
  readonly logLevel: LogLevel;
  /** Accounts of a writer that died. */
  readonly accounts: readonly OpenAccounts[];
  readonly reach: WriterReach;
}

/** Messages of the supervisor to the writer. `unit` tells units apart, also those that follow each other. */
export type WriterOrder =
  | { readonly kind: 'order'; readonly unit: number; readonly order: AuditOrder }
  /** The unit has ended: nobody writes to its ring. */
  | { readonly kind: 'unit-gone'; readonly unit: number }
  | { readonly kind: 'reach'; readonly reach: WriterReach }
  /** The system has taken the lines of the report `stdout` of this number; or not, for this reason. */
  | { readonly kind: 'stdout-written'; readonly number: number; readonly failure: string | null }
  /** A request to the service of this identity. The answer has the same number. */
  | { readonly kind: 'request'; readonly number: number; readonly identity: string; readonly request: AuditRequest }
  /** Deliver what there is within so many milliseconds, then end. */
  | { readonly kind: 'drain'; readonly timeout: number };

/** Messages of the writer to the supervisor. */
export type WriterReport =
  /** A line, as JSON, for the program's log. */
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'accounts'; readonly accounts: OpenAccounts }
  /** No unit holds the service any more: its handlers deliver what they have. */
  | { readonly kind: 'accounts-closing'; readonly key: string }
  /** These accounts go on with the totals that are beside the spool, which another handler may have left there. */
  | { readonly kind: 'spool-opened'; readonly key: string; readonly directory: string }
  /** Nothing counts there any more. */
  | { readonly kind: 'accounts-closed'; readonly key: string }
  /** What the unit wrote for the service was taken, and it holds the service no longer. */
  | { readonly kind: 'service-closed'; readonly unit: number; readonly service: number }
  | { readonly kind: 'unit-closed'; readonly unit: number }
  | { readonly kind: 'stdout'; readonly number: number; readonly lines: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'answer'; readonly number: number; readonly answer: AuditAnswer }
  | { readonly kind: 'drained' };
