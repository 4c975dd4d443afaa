/** The proxy between the gateway and a backend: connections to the backend are connections to it. */
export interface Via {
  /** Host and port of the proxy, for messages. */
  readonly proxy: string;
  /** Scheme, host and port of the backend, which stand before the path where the proxy itself reads requests; null in a tunnel. */
  readonly prefix: string | null;
  /** Host and port of the backend, as a Host header names them. */
  readonly authority: string;
  /** Header lines for the proxy, each with its CRLF; they are those of the connection that was opened last. */
  readonly lines: string;
}
