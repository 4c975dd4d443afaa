import type { SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import type { ServerCertificate } from '../../../contract/snapshot.ts';
import { errorText } from '../../../platform/error-text.ts';
import type { TlsKey } from '../../heap/objects/secrets.ts';
import { readHostCertificate } from './host-certificate.ts';
import type { FoundCertificate, HostCertificates } from './host-certificates.ts';

/** Contexts that one connector keeps; the one used longest ago goes first. */
export const MOST_CONTEXTS = 1024;

/** TLS contexts for the certificates of hosts, which are made when a client first asks for one. */
export class HostContexts {
  private readonly hosts: HostCertificates;
  private readonly make: (keys: readonly TlsKey[]) => SecureContext;
  private readonly log: Logger;
  /** By hash of the certificate, the one used longest ago first; null for one that cannot be used. */
  private readonly made = new Map<string, SecureContext | null>();

  constructor(hosts: HostCertificates, log: Logger, make: (keys: readonly TlsKey[]) => SecureContext) {
    this.hosts = hosts;
    this.log = log;
    this.make = make;
  }

  /** Whether it matters which server a client asks for. */
  get hasNames(): boolean {
    return this.hosts.size > 0;
  }

  /** Number of contexts in memory. */
  get size(): number {
    return this.made.size;
  }

  /** The certificate of a host; null where there is none. */
  find(host: string): FoundCertificate | null {
    return this.hosts.find(host);
  }

  /** The context of a certificate; null where the connector's own is to be used. */
  contextOf(certificate: ServerCertificate): SecureContext | null {
    const { hash } = certificate;
    let context = this.made.get(hash);
    if (context === undefined) {
      this.sweep();
      context = this.built(certificate);
    } else this.made.delete(hash);
    this.made.set(hash, context);
    return context;
  }

  private built({ key, chain, privateKey }: ServerCertificate): SecureContext | null {
    try {
      return this.make(readHostCertificate(chain, privateKey).keys);
    } catch (error) {
      const reason = errorText(error);
      this.log.error({ certificate: key, reason }, 'host certificate cannot be used; showing that of the connector');
      return null;
    }
  }

  /** Makes room. Certificates that were renewed or taken away go first. */
  private sweep(): void {
    for (const hash of this.made.keys()) if (!this.hosts.has(hash)) this.made.delete(hash);
    for (const hash of this.made.keys()) {
      if (this.made.size < MOST_CONTEXTS) return;
      this.made.delete(hash);
    }
  }
}
