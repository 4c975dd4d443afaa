/** Endpoints that a controller reads: of one Service, and up to a slice more, and of all Services of a namespace. */
export const MOST_OF_SERVICE = 5000;
export const MOST_OF_NAMESPACE = 50_000;

/** A note for the writer of a Route about a Service that can be used. */
export interface ServiceNote {
  readonly reason: 'NoReadyEndpoints' | 'EndpointsLeftOut';
  readonly message: string;
}

/** A port of a Service. */
export interface ServicePort {
  /** Empty for a port without a name. */
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
}

/** A Service as Routes are judged by it. The same object as long as nothing about it changes. */
export interface ServiceContent {
  readonly resourceVersion: string;
  /** Host name that a Service of type ExternalName stands for; null for all others. */
  readonly externalName: string | null;
  readonly ports: readonly ServicePort[];
  /** Namespaces whose Routes may use it, or `*`. */
  readonly allowedNamespaces: readonly string[];
  /** Names of the ports that an endpoint could take requests at now. */
  readonly servedPorts: readonly string[];
  /** Names of those that have more endpoints than data planes use. */
  readonly crowdedPorts: readonly string[];
  /** It has more endpoints than the controller reads, or its namespace has. */
  readonly isCut: boolean;
  /** Whether some of its EndpointSlices have host names in the place of addresses. */
  readonly hasHostNames: boolean;
}
