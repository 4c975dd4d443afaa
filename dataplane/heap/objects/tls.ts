import type { SecureContext } from 'node:tls';
import type { SecureTransport } from '../../engine/wire/secure-transport.ts';

/** TLS settings of a connection to a backend. */
export interface ClientCredentials {
  readonly context: SecureContext;
  /** Whether every certificate is believed, whoever issued it. */
  readonly trustsAll: boolean;
}

/** How backends are spoken to over TLS. */
export interface ClientTls {
  /** Whether the protocol is negotiated by ALPN. */
  readonly alpn: boolean;
  /** Whether backends are shown a certificate, so that connections may speak for somebody. */
  readonly usesClientCertificate: boolean;
  /** Whether the certificate must be one for the host that is asked for. */
  readonly checksNames: boolean;
  /**
   * What new connections are made with; the same object while nothing changed. Rejects when keys or trust cannot be
   * had: nothing may be sent then.
   */
  credentials(): ClientCredentials | Promise<ClientCredentials>;
}

/** How clients are met with TLS: what a listener takes as its `tls`. */
export interface ServerTls extends SecureTransport {
  /** Whether clients can be asked for a certificate. */
  readonly asksForCertificate: boolean;
}
