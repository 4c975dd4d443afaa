import type { SecureContext, SecureVersion } from 'node:tls';
import type { SecureTransport } from '../../engine/wire/secure-transport.ts';

/** TLS settings of a connection to a backend. */
export interface ClientCredentials {
  readonly context: SecureContext;
  /** Whether every certificate is believed, whoever issued it. */
  readonly trustsAll: boolean;
}

/** TLS settings of a client as plain data, for a thread that opens connections of its own. Holds private keys. */
export interface PortableTls {
  readonly minVersion: SecureVersion | null;
  readonly maxVersion: SecureVersion | null;
  readonly ciphers: string | null;
  /** Trusted certificates in PEM; null for the CA certificates of the platform. */
  readonly authorities: readonly string[] | null;
  readonly revocations: readonly string[];
  /** Chains in PEM, and the private key of each. */
  readonly chains: readonly string[];
  readonly keys: readonly string[];
  /** Whether every certificate is accepted. */
  readonly trustsAll: boolean;
  /** Whether the certificate must be one for the host. */
  readonly checksNames: boolean;
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
  /** The same as plain data. Rejects as `credentials` does. */
  portable(): Promise<PortableTls>;
  /** Calls a listener when keys or trust may have changed; the result ends it. */
  watch(listener: () => void): () => void;
}

/** How clients are met with TLS: what a listener takes as its `tls`. */
export interface ServerTls extends SecureTransport {
  /** Whether clients can be asked for a certificate. */
  readonly asksForCertificate: boolean;
}
