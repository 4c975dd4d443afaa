/** An HTTP proxy between the gateway and its backends. */
export interface HttpProxy {
  readonly host: string;
  readonly port: number;
  /** What `Proxy-Authorization` says, or null where the proxy wants nothing. Rejects when the password cannot be had. */
  authorization(): Promise<string | null>;
}

/** Which requests go through a proxy. */
export interface ProxyOptions {
  /** The proxy for requests to this host, or null when they go straight. */
  proxyFor(scheme: 'http' | 'https', host: string): HttpProxy | null;
}
