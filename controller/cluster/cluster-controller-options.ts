import type { Logger } from 'pino';
import type { DescribedSchema } from '../../contract/crest/describe/description.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { ShownFigures } from '../../contract/shown/shown-figures.ts';
import type { ConsoleFiles } from '../../platform/admin/console-files.ts';
import type { BoundAddress, ListenAddress } from '../../platform/listen-address.ts';
import type { ControllerAdminSource } from '../admin/controller-admin.ts';
import type { Compiler } from '../compile/compiler.ts';
import type { EvaluateExpression } from '../manage/asked-expression.ts';
import type { ExplainRequest } from '../manage/explained-request.ts';
import type { ControllerMetrics } from '../metrics/controller-metrics.ts';
import type { MergedRoute } from '../metrics/merged-routes.ts';
import type { PlaneAuthenticator } from '../publish/channel/plane-authentication.ts';
import type { SessionSettings } from '../publish/channel/session-settings.ts';
import type { ClusterApi } from './api/api-client.ts';
import type { NamespaceScope } from './cluster-source.ts';
import type { WebhookOptions } from './controller-fronts.ts';
import type { GivenCertificates } from './identity/given-certificates.ts';
import type { ConsoleSignIn } from './sign-in/console-sealing.ts';

export interface SharedNames {
  /** The Secret of the authority. */
  readonly secret: string;
  /** The ConfigMap that shows the authority. */
  readonly configMap: string;
  readonly lease: string;
  /** The Secret of the last good base configuration. */
  readonly baseSecret: string;
  /** The Secret of the session keys. */
  readonly sessionSecret: string;
}

/** Options of a controller of a cluster. */
export interface ClusterControllerOptions {
  readonly api: ClusterApi;
  readonly compiler: Compiler;
  readonly log: Logger;
  /** Version of the program. */
  readonly version: string;
  /** Unique among the controllers of a namespace. */
  readonly name: string;
  /** Where the base configuration, the Lease and the authority are. */
  readonly namespace: string;
  /** Name of the ConfigMap with the base configuration. */
  readonly base: string;
  /** Names of what controllers share. */
  readonly shared: SharedNames;
  readonly namespaces: NamespaceScope;
  readonly isInPod: boolean;
  readonly channel: { readonly host: string; readonly port: number };
  /** Host under which other controllers reach this one. */
  readonly advertise: string;
  /** Names and addresses under which planes reach controllers. */
  readonly serverNames: readonly string[];
  readonly certificates: GivenCertificates | null;
  /** Authorities of the certificates that planes may show, in PEM; null when none is asked for. */
  readonly planeAuthorities: string | null;
  /** Judges of planes outside of the cluster. */
  readonly authenticators: readonly PlaneAuthenticator[];
  readonly admin: ListenAddress | null;
  readonly secureAdmin: ListenAddress | null;
  /** Requests of Common REST in a second, for each caller; 0 serves none. */
  readonly apiRate: number;
  /** Versions of each Route to keep; 0 for none. */
  readonly routeVersions: number;
  /** Files of the console; absent for none. */
  readonly console?: ConsoleFiles;
  /** Makes the sign-in to the console. @param keys the one to seal with first; none while they cannot be read */
  consoleSignIn(keys: () => readonly string[]): ConsoleSignIn;
  /** Facts about the program for Common REST. */
  readonly info: JsonObject;
  /** Returns the schema of a route document. */
  readonly routeSchema: () => Promise<DescribedSchema>;
  /** Explains which route takes a request. */
  readonly explain: ExplainRequest;
  /** Evaluates an expression for a described request. */
  readonly evaluate: EvaluateExpression;
  /** Path of a socket for whoever may run programs where the controller runs; null for none. */
  readonly adminSocket: string | null;
  readonly webhook: WebhookOptions | null;
  /** Returns the monitoring endpoint of routes. */
  monitoring(routes: () => readonly MergedRoute[]): ControllerAdminSource['monitoring'];
  /** Adds the metrics of routes, as planes report them together. */
  showRoutes(registry: ControllerMetrics['registry'], routes: () => readonly MergedRoute[]): void;
  /** Returns figures of routes for people, by the texts of their keys. */
  figures(routes: readonly MergedRoute[]): ReadonlyMap<string, ShownFigures>;
  readonly sessionSettings?: Partial<SessionSettings>;
  readonly lease?: { readonly leaseDuration: number; readonly renewDeadline: number; readonly retryPeriod: number };
}

/** Where a controller can be reached. */
export interface ControllerAddresses {
  readonly channel: number;
  readonly admin: BoundAddress | null;
  readonly secureAdmin: BoundAddress | null;
  readonly webhook: BoundAddress | null;
}
