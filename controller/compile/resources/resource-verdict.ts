import type { Problem } from '../../../contract/problem.ts';
import type { LastGoodMark, Resource } from '../../../contract/resources/resource.ts';
import type { RouteKey } from '../../../contract/snapshot.ts';
import type { CompiledRoute } from '../snapshot.ts';
import type { ServedVersion } from '../verdict.ts';
import type { CertificateFacts } from './certificates/certificate-facts.ts';

/** Reasons of the condition Accepted. docs/operating.md explains each. */
export type AcceptedReason =
  | 'Accepted'
  | 'Invalid'
  | 'HostNotGranted'
  | 'NameTaken'
  | 'NotAvailable'
  | 'BaseConfigurationInvalid';

/** Reasons of the condition ResolvedRefs. */
export type ResolvedRefsReason =
  | 'ResolvedRefs'
  | 'StoreNotFound'
  | 'StoreInvalid'
  | 'StoreNotGranted'
  | 'SecretNotFound'
  | 'SecretNotAllowed'
  | 'SecretKeyNotFound'
  | 'AuditServiceNotFound'
  | 'AuditServiceInvalid'
  | 'AuditServiceNotGranted'
  | 'NameAmbiguous'
  | 'ServiceNotFound'
  | 'ServicePortNotFound'
  | 'ServiceNotSupported'
  | 'ServiceNotGranted'
  | 'NoReadyEndpoints'
  | 'EndpointsLeftOut'
  | 'Pending';

export interface ConditionVerdict<Reason extends string> {
  readonly status: boolean;
  readonly reason: Reason;
  /** For people: paths and problems, never a secret. */
  readonly message: string;
}

/** Verdict on one resource. */
export interface ResourceVerdict {
  readonly resource: Resource;
  readonly accepted: ConditionVerdict<AcceptedReason>;
  readonly resolvedRefs: ConditionVerdict<ResolvedRefsReason>;
  /** All of it, warnings too. */
  readonly problems: readonly Problem[];
  /** What requests meet. Of other kinds than Route: `this`, `nothing`, or `last-good` for an AuditService. */
  readonly serves: ServedVersion;
  /** The generation that serves; null when none does. */
  readonly servingGeneration: number | null;
  /** What planes are to run for it; null for other kinds and for a Route that takes no traffic. */
  readonly route: CompiledRoute | null;
  /** Which planes are to run it. Only of Routes. */
  readonly dataPlanes: PlaneSelector | null;
  /** What the status is to name as the version that was accepted last. Only of Routes. */
  readonly lastGood?: LastGoodMark;
  /** Only of Routes that name certificates. */
  readonly certificates?: CertificateFacts;
  /** Set when the version that is to serve is known by its hash only; `route` is then what those get who lack it. */
  readonly remembered?: RememberedRoute;
}

/** A route that planes may hold although nobody else knows its body. */
export interface RememberedRoute extends RouteKey {
  readonly hash: string;
  readonly generation: number;
  /** What planes get that do not hold it; null when they get nothing. */
  readonly fallback: CompiledRoute | null;
}

/** Every plane has this label with the name of its group, whatever its Pod says. */
export const GROUP_LABEL = 'gatewarden.io/group';

/** A label selector as Kubernetes has them; null stands for all planes of the default group that are no sidecars. */
export interface PlaneSelector {
  readonly matchLabels: Readonly<Record<string, string>>;
  readonly matchExpressions: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values: readonly string[];
  }[];
}
