import type { MessagePort } from 'node:worker_threads';
import type { EndedRecord, RefreshNews } from '../../contract/channel.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { ForbiddenPlace } from '../../contract/egress.ts';
import type { DryRun } from '../../contract/shown/dry-run.ts';
import type { AuditOrder } from '../audit/writer/audit-orders.ts';
import type { Connector } from '../connectors/connector.ts';
import type { RequestDescription } from '../dry-run/described-exchange.ts';
import type { Destination } from '../engine/backend/backend-options.ts';
import type { Endpoint } from '../engine/wire/wire.ts';
import type { LogLevel } from '../log/log-level.ts';
import type { LogStyle } from '../log/log-style.ts';
import type { GaugeValue } from '../metrics/gauges.ts';
import type { BuildProblem } from '../routes/configuration.ts';
import type { MemoryLink } from '../supervisor/shared-memory.ts';
import type { TicketSeed } from '../tls/ticket-keys.ts';
import type { OperatorReach } from './operator-reach.ts';
import type { PlacedUpdate } from './placed-update.ts';

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
  readonly update: PlacedUpdate;
  readonly reach: OperatorReach;
  /** `admin.json` with its tokens and properties resolved: the objects that connectors need are declared there. */
  readonly admin: JsonObject;
  /** Whether bodies are passed on as they arrive where no object says. */
  readonly streaming: boolean;
  /** Administrative base path, such as `openig`: nothing under it is ever served to clients. */
  readonly prefix: string;
  /** What tenants' routes may not connect to, such as the controller and the API server. */
  readonly forbidden?: readonly ForbiddenPlace[];
  /** Ports of the application beside a sidecar, which tenants' routes may connect to on this machine. */
  readonly appPorts?: readonly number[];
  /** Zone of the data plane; absent where it is not known. */
  readonly zone?: string;
  /** Sessions that ended before their time. */
  readonly ended?: readonly EndedRecord[];
}

/** Configuration that a unit serves. */
export type Serving = BackendServing | ConfigurationServing;

/** Start parameters of a unit. */
export interface UnitOptions {
  readonly role: 'gatewarden-unit';
  readonly unit: number;
  /** Where it accepts clients, together with the other units. */
  readonly connectors: readonly Connector[];
  /** What the keys of tickets of TLS sessions follow from; null where no connector speaks TLS. */
  readonly ticketSeed: TicketSeed | null;
  readonly serving: Serving;
  readonly trustedProxies: readonly string[];
  /** Where the supervisor's admin port is: no request of a client may be sent there. */
  readonly admin: Endpoint | null;
  /** What becomes of access log lines: none, appended to this file, or handed over. */
  readonly log: 'off' | 'hand-over' | number;
  /** What these lines look like. */
  readonly accessLogStyle: LogStyle;
  readonly logLevel: LogLevel;
  /** The block this unit counts into. */
  readonly counters: SharedArrayBuffer;
  /** Where its routes count. */
  readonly slots: readonly SharedArrayBuffer[];
}

/** Start parameters of a unit in a thread of its own. */
export interface WorkerUnitOptions extends UnitOptions {
  /** How it gets the memory that its objects share with those of other units. */
  readonly memory: MemoryLink;
}

/** Start parameters of a unit without a configuration yet. */
export interface SpareUnitOptions {
  readonly role: 'gatewarden-spare-unit';
  /** Where its options come, once. */
  readonly options: MessagePort;
}

/** Observations of an object of the unit: their number since the last report, and their total time. */
export interface Observation {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
  readonly seconds: number;
}

/** Messages of a unit to its supervisor. */
export type UnitReport =
  | {
      readonly kind: 'listening';
      /** In the order of the connectors. */
      readonly endpoints: readonly Endpoint[];
      readonly problems: readonly BuildProblem[];
    }
  /** It cannot serve: because of the connector at this place, or of something else. */
  | { readonly kind: 'failed'; readonly connector: number | null; readonly message: string }
  | { readonly kind: 'log'; readonly lines: Uint8Array<ArrayBuffer> }
  /** A line, as JSON, that an object wrote to the program's log. */
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'fault'; readonly message: string }
  | { readonly kind: 'applied'; readonly order: number; readonly problems: readonly BuildProblem[] }
  | { readonly kind: 'observed'; readonly observations: readonly Observation[] }
  /** What objects show, when it has changed. */
  | { readonly kind: 'shown'; readonly gauges: readonly GaugeValue[] }
  /** Sessions that ended before their time, for other planes. */
  | { readonly kind: 'ended'; readonly entries: readonly EndedRecord[] }
  /** A token refresh, for other planes; answered by `told`. */
  | { readonly kind: 'refresh'; readonly number: number; readonly news: RefreshNews }
  /** The result of the dry run of this number, or why there is none. */
  | { readonly kind: 'dry-run'; readonly number: number; readonly result: DryRun | string }
  /** For the audit writer. */
  | AuditOrder
  | { readonly kind: 'drained'; readonly cut: number; readonly droppedLines: number };

/** Messages of a supervisor to a unit. */
export type UnitOrder =
  /** Clients are to be asked to go; others may come still. */
  | { readonly kind: 'dismiss' }
  | { readonly kind: 'drain'; readonly timeout: number }
  /** All that tenants' routes may not connect to by now, beside what the unit was started with. */
  | { readonly kind: 'forbid'; readonly places: readonly ForbiddenPlace[] }
  /** Other planes ended these sessions. */
  | { readonly kind: 'ended'; readonly entries: readonly EndedRecord[] }
  /** Another plane refreshes a token, or wants to. One unit hears it. */
  | { readonly kind: 'refresh'; readonly news: RefreshNews }
  /** Whether the report `refresh` of this number went to other planes. */
  | { readonly kind: 'told'; readonly number: number; readonly isTold: boolean }
  /** Passes a request through the configuration without sending it; answered by `dry-run`. */
  | {
      readonly kind: 'dry-run';
      readonly number: number;
      readonly request: RequestDescription;
      /** Id of the one route whose objects are shown; null if all are. */
      readonly shownRoute: string | null;
    }
  | {
      readonly kind: 'update';
      /** Tells the answer to this order from others. */
      readonly order: number;
      readonly update: PlacedUpdate;
      /** Room for routes that had none. */
      readonly slots: readonly SharedArrayBuffer[];
    };
