import type { ForbiddenPlace } from '../../../contract/egress.ts';

/** A Pod that may be a controller or a data plane. The same object as long as nothing about it changes. */
export interface PodFacts {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly serviceAccount: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Its own addresses. */
  readonly addresses: readonly string[];
  /** Addresses of the node that it runs on. */
  readonly nodeAddresses: readonly string[];
  /** The port at which its sidecar shows health and metrics; null where it has no sidecar. */
  readonly sidecarAdminPort: number | null;
  /** Whether Services send it requests: it is Ready and does not terminate. */
  readonly isReady: boolean;
}

/** A Service as far as tenants must not reach it. */
export interface ServiceFacts {
  readonly namespace: string;
  /** Null for a Service that selects no Pods. */
  readonly selector: Readonly<Record<string, string>> | null;
  /** Addresses that are its alone. */
  readonly addresses: readonly string[];
  /** Addresses that others may share, such as those of a load balancer: only its ports are its own there. */
  readonly sharedAddresses: readonly string[];
  readonly ports: readonly number[];
  /** Addresses and host names for clients outside of the cluster: of a load balancer, and external ones. */
  readonly published: readonly string[];
}

/** Addresses of control planes in the platform. Maps stay the same objects until they change. */
export interface PlatformFacts {
  /** Where the API server is reached by its Service, by its endpoints, and by this controller. */
  readonly apiServer: readonly ForbiddenPlace[];
  /** Pods by namespace, then by `namespace/name`. */
  readonly pods: ReadonlyMap<string, ReadonlyMap<string, PodFacts>>;
  /** Services of the namespace of the controllers, by `namespace/name`. */
  readonly services: ReadonlyMap<string, ServiceFacts>;
  /** Where the controller runs. Pods with the ServiceAccount of its own Pod are controllers. */
  readonly controller: { readonly namespace: string; readonly pod: string };
}
