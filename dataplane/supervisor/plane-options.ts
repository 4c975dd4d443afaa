import type { DryRun } from '../../contract/shown/dry-run.ts';
import type { ObjectFigures } from '../../contract/shown/object-figures.ts';
import type { ShownFigures } from '../../contract/shown/shown-figures.ts';
import type { ConsoleFiles } from '../../platform/admin/console-files.ts';
import type { CrestTree } from '../../platform/admin/crest-path.ts';
import type { ListenAddress } from '../../platform/listen-address.ts';
import type { AdminProtection } from '../connectors/admin-protection.ts';
import type { RequestDescription } from '../dry-run/described-exchange.ts';
import type { AccessLogTarget } from '../log/log-destination.ts';
import type { LogLevel } from '../log/log-level.ts';
import type { LogFormat, LogStyle } from '../log/log-style.ts';
import type { BackendsStatus } from '../metrics/backends-status.ts';
import type { ConfigurationFigures } from '../metrics/configuration-exposition.ts';
import type { LinkFigures } from '../metrics/link-exposition.ts';
import type { AskedAudit } from './audit-endpoint.ts';
import type { SpareUnit } from './spare-unit.ts';

/** Parts of a data plane before it serves. */
export interface PreparedPlaneOptions {
  readonly accessLog: AccessLogTarget;
  /** By default text on a terminal and JSON elsewhere. */
  readonly accessLogFormat?: LogFormat;
  readonly logLevel: LogLevel;
  /** By default JSON. */
  readonly logStyle?: LogStyle;
  readonly admin: ListenAddress | undefined;
  /** Whether it runs in a Pod, where others arrive over loopback too; by default it does not. */
  readonly isInPod?: boolean;
  readonly trustedProxies: readonly string[];
  /** How long clients are asked to go before nobody is accepted any more, in milliseconds; by default not at all. */
  readonly drainDelay?: number;
  /** In milliseconds. */
  readonly drainTimeout: number;
  /** What the metrics tell of the configuration, where somebody follows one. */
  readonly configurationFigures?: ConfigurationFigures;
  /** What is told of the link to a controller, where there is one. */
  readonly link?: PlaneLinkView;
  /** Milliseconds after which a plane that no controller confirms is not ready; by default it stays ready. */
  readonly unreadyAfter?: number | undefined;
  /** Filters in front of paths of the admin port. */
  readonly protection?: AdminProtection | undefined;
  /** Most bytes of a document that is sent to the admin port; 1 MiB unless said otherwise. */
  readonly adminMaxBodyLength?: number;
  /** Makes the endpoints of Common REST on the admin port, below `/api`; absent where there are none. */
  readonly api?: (inside: PlaneInside) => CrestTree;
  /** Files of the console on the admin port; absent where there is none. */
  readonly console?: ConsoleFiles;
  /** What becomes its first unit, where somebody had it load before. */
  readonly spare?: SpareUnit;
}

/** Parts of a plane that its endpoints show. */
export interface PlaneInside {
  readonly audits: AskedAudit;
  /** Returns the figures of the routes that it serves, by the text of their keys. */
  figures(): ReadonlyMap<string, ShownFigures>;
  status(): PlaneStatus;
  /** Returns what the objects of routes counted and show. */
  objects(): readonly ObjectFigures[];
  /** Passes a request through the configuration without sending it to a backend. */
  dryRun(request: RequestDescription): Promise<DryRun>;
}

/** State of a plane on its admin port. */
export interface PlaneStatus {
  readonly addresses: readonly object[];
  readonly ready: boolean;
  readonly draining: boolean;
  readonly unitRestarts: number;
  readonly units: readonly { readonly number: number; readonly serving: boolean }[];
  readonly link?: object | undefined;
  readonly backends: readonly BackendsStatus[];
}

/** The link to a controller, for those who look at the admin port. */
export interface PlaneLinkView {
  readonly figures: LinkFigures;
  status(): object;
}
