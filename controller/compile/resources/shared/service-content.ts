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
  /** Whether some of its EndpointSlices have host names in the place of addresses. */
  readonly hasHostNames: boolean;
}
