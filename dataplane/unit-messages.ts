import type { Destination } from './http/backend.ts';
import type { ListenerLimits } from './http/limits.ts';

/** What a unit is started with. */
export interface UnitOptions {
  readonly role: 'gatewarden-unit';
  readonly unit: number;
  readonly host: string | undefined;
  readonly port: number;
  readonly destination: Destination;
  readonly basePath: string;
  readonly connections: number;
  readonly trustedProxies: readonly string[];
  readonly limits: Partial<ListenerLimits>;
  /** What becomes of access log lines: none, appended to this file, or handed over. */
  readonly log: 'off' | 'hand-over' | number;
  /** The block this unit counts into. */
  readonly counters: SharedArrayBuffer;
}

/** What a unit tells its supervisor. */
export type UnitReport =
  | { readonly kind: 'listening'; readonly address: string; readonly port: number }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'log'; readonly lines: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'fault'; readonly message: string }
  | { readonly kind: 'drained'; readonly cut: number; readonly droppedLines: number };

/** What a supervisor tells a unit. */
export interface UnitOrder {
  readonly kind: 'drain';
  readonly timeout: number;
}
