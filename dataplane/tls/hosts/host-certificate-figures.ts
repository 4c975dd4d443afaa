import {
  type CertificateState,
  certificateState,
  type Validity,
} from '../../../contract/resources/certificate-state.ts';
import type { ServerCertificate } from '../../../contract/snapshot.ts';
import type { PlaneServices } from '../../heap/plane-services.ts';
import { readHostCertificate } from './host-certificate.ts';
import type { HostCertificates } from './host-certificates.ts';

/** `Pending` is not read yet. `Unusable` cannot be read: clients get the certificate of the connector instead. */
const STATES = ['Ready', 'Expiring', 'Expired', 'NotYetValid', 'Unusable', 'Pending'] as const satisfies readonly (
  | CertificateState
  | 'Unusable'
  | 'Pending'
)[];

/** Certificates that are read at once: requests wait for half a millisecond for each. */
export const MOST_READ = 32;

/** Shows how many certificates of hosts there are in each state, and the earliest expiry. */
export function showHostCertificates(
  hosts: Pick<HostCertificates, 'all'>,
  gauge: PlaneServices['gauge'],
  now: () => number = Date.now,
): void {
  const figures = new HostCertificateFigures(hosts);
  // the first gauge is read first
  gauge('gw_tls_host_certificate_expiry_seconds', {}, () => {
    figures.readMore();
    return figures.earliest / 1000;
  });
  for (const state of STATES) gauge('gw_tls_host_certificates', { state }, () => figures.count(state, now()));
}

class HostCertificateFigures {
  private readonly hosts: Pick<HostCertificates, 'all'>;
  private seen: readonly ServerCertificate[] = [];
  private unread: ServerCertificate[] = [];
  /** By hash; null for one that cannot be used. */
  private validities: ReadonlyMap<string, Validity | null> = new Map();

  constructor(hosts: Pick<HostCertificates, 'all'>) {
    this.hosts = hosts;
  }

  /** Milliseconds since 1970; 0 where no certificate has been read. */
  get earliest(): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (const validity of this.validities.values())
      if (validity !== null) earliest = Math.min(earliest, validity.notAfter);
    return Number.isFinite(earliest) ? earliest : 0;
  }

  count(state: (typeof STATES)[number], now: number): number {
    if (state === 'Pending') return this.unread.length;
    const states = [...this.validities.values()].map((one) => (one === null ? 'Unusable' : certificateState(one, now)));
    return states.filter((one) => one === state).length;
  }

  /** Follows the certificates that are held, and reads some of those that are new. */
  readMore(): void {
    const { all } = this.hosts;
    if (all !== this.seen) {
      this.seen = all;
      const before = this.validities;
      this.unread = all.filter(({ hash }) => !before.has(hash));
      this.validities = new Map(all.flatMap(({ hash }) => (before.has(hash) ? [[hash, before.get(hash)!]] : [])));
    }
    if (this.unread.length === 0) return;
    const read = this.unread.splice(0, MOST_READ).map((one) => [one.hash, validityOf(one)] as const);
    this.validities = new Map([...this.validities, ...read]);
  }
}

function validityOf({ chain, privateKey }: ServerCertificate): Validity | null {
  try {
    const { notBefore, notAfter } = readHostCertificate(chain, privateKey);
    return { notBefore, notAfter };
  } catch {
    return null; // the log says why when a client asks for its host
  }
}
