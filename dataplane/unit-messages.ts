import type { Update } from '../contract/snapshot.ts';
import type { Destination } from './http/backend.ts';
import type { ListenerLimits } from './http/limits.ts';
import type { Endpoint } from './http/wire.ts';
import type { LogLevel } from './log-level.ts';
import type { OperatorReach } from './operator-reach.ts';
import type { BuildProblem } from './routes/configuration.ts';

/** Everything goes to one backend. */
export interface BackendServing {
  readonly kind: 'backend';
  readonly destination: Destination;
  /** Comes before every forwarded path; empty for none. */
  readonly basePath: string;
  /** Most connections of one unit. */
  readonly connections: number;
}

/** Documents decide. */
export interface ConfigurationServing {
  readonly kind: 'configuration';
  /** What to serve at first: a whole snapshot. */
  readonly update: Update;
  readonly reach: OperatorReach;
  /** Administrative base path, such as `openig`: nothing under it is ever served to clients. */
  readonly prefix: string;
}

export type Serving = BackendServing | ConfigurationServing;

/** What a unit is started with. */
export interface UnitOptions {
  readonly role: 'gatewarden-unit';
  readonly unit: number;
  readonly host: string | undefined;
  readonly port: number;
  readonly serving: Serving;
  readonly trustedProxies: readonly string[];
  readonly limits: Partial<ListenerLimits>;
  /** Where the supervisor's admin port is: no request of a client may be sent there. */
  readonly admin: Endpoint | null;
  /** What becomes of access log lines: none, appended to this file, or handed over. */
  readonly log: 'off' | 'hand-over' | number;
  readonly logLevel: LogLevel;
  /** The block this unit counts into. */
  readonly counters: SharedArrayBuffer;
  /** Where its routes count. */
  readonly slots: readonly SharedArrayBuffer[];
}

/** A time that an object of the unit observed, summed since the last report. */
export interface Observation {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
  readonly seconds: number;
}

/** What a unit tells its supervisor. */
export type UnitReport =
  | {
      readonly kind: 'listening';
      readonly address: string;
      readonly port: number;
      readonly problems: readonly BuildProblem[];
    }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'log'; readonly lines: Uint8Array<ArrayBuffer> }
  /** A line that an object wrote to the program's log. */
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'fault'; readonly message: string }
  | { readonly kind: 'applied'; readonly order: number; readonly problems: readonly BuildProblem[] }
  | { readonly kind: 'observed'; readonly observations: readonly Observation[] }
  | { readonly kind: 'drained'; readonly cut: number; readonly droppedLines: number };

/** What a supervisor tells a unit. */
export type UnitOrder =
  | { readonly kind: 'drain'; readonly timeout: number }
  | {
      readonly kind: 'update';
      /** Tells the answer to this order from others. */
      readonly order: number;
      readonly update: Update;
      /** Room for routes that had none. */
      readonly slots: readonly SharedArrayBuffer[];
    };
