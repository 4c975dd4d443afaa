import type { JsonObject } from '../document/json-value.ts';
import type { Problem } from '../problem.ts';

export const GROUP = 'gatewarden.io';
export const VERSION = 'v1alpha1';
/** A Secret may be read only when it carries this label with this value. */
export const CONSENT_LABEL = 'gatewarden.io/secret-store';
export const CONSENT = 'allowed';

export const resourceKinds = ['Route', 'SecretStore', 'AuditService'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** How paths of the API name the kinds. */
export const resourcePlurals: Readonly<Record<ResourceKind, string>> = {
  Route: 'routes',
  SecretStore: 'secretstores',
  AuditService: 'auditservices',
};

/** A custom resource, from a cluster or from a manifest. The same object is the same content. */
export interface Resource {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** The oldest resourceVersion that is known to have this spec; absent where only one version was seen. */
  readonly specSince?: string;
  /** When it was created, as the cluster writes it: of two, the lesser text is the older resource. */
  readonly created: string;
  readonly spec: JsonObject;
  /** The newest change of its spec, as its field managers tell; absent where that is not known. */
  readonly changed?: SpecChange;
  /** Tool that keeps it as its source says, such as `Argo CD`; absent for none. */
  readonly deliveredBy?: string;
  /** What makes its spec too much to be looked at, which then is empty; absent for every other. */
  readonly excess?: Problem;
  /** What the status says of the version that was accepted last; null before there was one. */
  readonly lastGood: LastGoodMark | null;
  /** What the status shows as a whole, so that it is written only when it differs; absent where it was never written. */
  readonly status?: JsonObject;
}

/** A change of the spec of a resource. */
export interface SpecChange {
  /** As the cluster writes it, in ISO 8601. */
  readonly at: string;
  /** Field manager, such as `kubectl-edit`: the API server has no names of people in its objects. */
  readonly manager: string;
}

/** Names the version of a Route that was accepted last: bodies are with planes, and this tells the right one. */
export interface LastGoodMark {
  readonly generation: number;
  readonly hash: string;
}

/** A Secret that a SecretStore or a Route names. */
export interface SecretContent {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Such as `kubernetes.io/tls`. */
  readonly type: string;
  /** Null when it does not carry the label of consent: its data is then not even kept. */
  readonly data: ReadonlyMap<string, Uint8Array> | null;
}

/** `namespace/name`, as resources are told apart within a kind. */
export function resourceKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}
