import type { Problem } from '../../../contract/problem.ts';
import type { ServerCertificate, SharedObjects } from '../../../contract/snapshot.ts';
import type { TrustSettings } from '../../../contract/trust-settings.ts';
import type { CompiledRoute } from '../snapshot.ts';
import type { RememberedRoute, ResourceVerdict } from './resource-verdict.ts';
import type { SidecarBase } from './sidecar-base.ts';

/** Result of compiling the custom resources. */
export interface CompiledResources {
  /** Of every Route, SecretStore and AuditService. */
  readonly verdicts: readonly ResourceVerdict[];
  /** What each Route is to be served by, in the order of names; those that planes only remember are not among them. */
  readonly routes: readonly CompiledRoute[];
  /** The versions that are to serve and are known by their hash only. */
  readonly remembered: readonly RememberedRoute[];
  /** What Routes share, such as SecretStores and certificates, each once. */
  readonly shared: readonly (SharedObjects | ServerCertificate)[];
  /** By the key of a certificate, the routes, as `routeKeyText`, that name it. */
  readonly certificateUsers: ReadonlyMap<string, ReadonlySet<string>>;
  /** The Secrets, as `namespace/name`, that must be read and followed. */
  readonly wantedSecrets: ReadonlySet<string>;
  /** Those of them that were not read yet. */
  readonly pendingSecrets: readonly string[];
  /** The Services, as `namespace/name`, that must be read and followed; the same set as long as they are the same. */
  readonly wantedServices: ReadonlySet<string>;
  /** Those of them that were not read yet. */
  readonly pendingServices: readonly string[];
  /** The trust that holds; null when there never was a sound `trust.json`. */
  readonly trust: TrustSettings | null;
  /** Why no Route can be served with `config.json`; null when they can, or when there is none. */
  readonly routerFault: string | null;
  /** What sidecars get as their base; null where no Route is served. */
  readonly sidecarBase: SidecarBase | null;
  /** What is wrong with `trust.json`. */
  readonly trustProblems: readonly Problem[];
}
