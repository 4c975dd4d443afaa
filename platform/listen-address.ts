/** Address to listen on; without a host, every interface. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
  /** Whether any free port does when this one is taken. */
  readonly orAnyPort?: boolean;
}

/** Address that a server listens on. */
export interface BoundAddress {
  readonly host: string;
  readonly port: number;
}
