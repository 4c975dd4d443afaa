import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { errorText } from '../../platform/error-text.ts';
import type { Protocol } from '../engine/wire/connect.ts';
import type { ClientCredentials, ClientTls } from '../heap/objects/tls.ts';
import { certifiedNames, isFor } from './host-name.ts';
import { certificateFault, nameFault } from './tls-faults.ts';

/** Peer of a connection, from the handshake. */
export interface Peer {
  /** A session that is resumed was judged when it began. */
  readonly isResumed: boolean;
  /** What OpenSSL holds against its certificate, or null. */
  readonly error: string | null;
  certificate(): X509Certificate | null;
}

/** Target and TLS settings of connections, and the sessions that later ones can resume. */
export class SecureBackend {
  readonly tls: ClientTls;
  readonly host: string;
  /** What is asked for by name; null where the backend is known by its address. */
  readonly servername: string | null;
  /** What is offered by ALPN, the preferred one first, or null. */
  readonly alpn: readonly Protocol[] | null;
  private credentials: ClientCredentials | null = null;
  private session: Buffer | null = null;
  /** When the certificate expires that the backend showed last: a session that is resumed shows none. */
  private validUntil = 0;

  constructor(tls: ClientTls, host: string, protocols: readonly Protocol[]) {
    this.tls = tls;
    this.host = host.replace(/\.$/, '');
    this.servername = isIP(this.host) === 0 ? this.host : null;
    this.alpn = tls.alpn && protocols.length > 0 ? protocols : null;
  }

  /** What is wrong with who is at the other end, or null. */
  faultOf({ isResumed, error, certificate }: Peer, { trustsAll }: ClientCredentials): string | null {
    if (!trustsAll && error !== null) return certificateFault(error, certificate());
    if (isResumed) return null;
    const shown = certificate();
    if (shown === null) return 'the backend sent no certificate';
    this.validUntil = trustsAll ? Number.POSITIVE_INFINITY : shown.validToDate.getTime();
    if (!this.tls.checksNames) return null;
    const names = certifiedNames(shown);
    return isFor(names, this.host) ? null : nameFault(this.host, names);
  }

  /** A session with the right backend, for the next connection. */
  keep(credentials: ClientCredentials, session: Buffer): void {
    this.credentials = credentials;
    this.session = session;
  }

  /** The session to resume: none with other credentials than it began with, and none of a certificate that has expired. */
  sessionWith(credentials: ClientCredentials): Buffer | null {
    return this.credentials === credentials && Date.now() < this.validUntil ? this.session : null;
  }
}

/** Why there are no credentials. */
export function unready(error: unknown): string {
  return `keys or CA certificates are not available: ${errorText(error)}`;
}
