import { HostGrants } from '../../../contract/resources/host-grants.ts';
import { plainHost } from '../../../contract/resources/plain-host.ts';
import type { SharedResources } from '../../../contract/shared-resources.ts';
import type { ServerCertificate } from '../../../contract/snapshot.ts';

/** A certificate that was found for a host. */
export interface FoundCertificate {
  readonly certificate: ServerCertificate;
  /** Whether it is for the host itself and not for a wildcard. */
  readonly isExact: boolean;
}

/** A certificate with the text that decides between several of one host: the least wins. */
type Claim = readonly [text: string, certificate: ServerCertificate];

/**
 * The certificates of tenants' hosts that this unit holds. A host has a certificate only if the tenant of the certificate
 * has the host, whatever the certificate says.
 */
export class HostCertificates {
  /** By tenant and host. */
  private table: ReadonlyMap<string, ReadonlyMap<string, ServerCertificate>> = new Map();
  private grants = new HostGrants([]);
  private held: readonly ServerCertificate[] = [];
  private hashes: ReadonlySet<string> = new Set();

  /** Certificates that are held; another list once any of them has changed. */
  get all(): readonly ServerCertificate[] {
    return this.held;
  }

  get size(): number {
    return this.held.length;
  }

  /** Whether a certificate with this hash is held. */
  has(hash: string): boolean {
    return this.hashes.has(hash);
  }

  /** Takes the certificates and the hosts of tenants as they are now. Connections that are open stay as they are. */
  use(resources: SharedResources, grants: HostGrants): void {
    this.grants = grants;
    const held = [...resources.values()].filter((one) => one.type === 'server-certificate');
    if (held.length === this.held.length && held.every((one, at) => one === this.held[at])) return;
    this.held = held;
    this.hashes = new Set(held.map(({ hash }) => hash));
    this.table = tableOf(held);
  }

  /** The certificate for a host: the one of its name, then that of a wildcard; null where there is none. */
  find(host: string): FoundCertificate | null {
    if (this.table.size === 0) return null;
    const name = plainHost(host);
    const tenant = this.grants.tenantOf(name);
    const own = tenant === null ? undefined : this.table.get(tenant);
    if (own === undefined) return null;
    const exact = own.get(name);
    if (exact !== undefined) return { certificate: exact, isExact: true };
    const dot = name.indexOf('.');
    const wide = dot > 0 ? own.get(`*${name.slice(dot)}`) : undefined;
    return wide === undefined ? null : { certificate: wide, isExact: false };
  }
}

function tableOf(held: readonly ServerCertificate[]): ReadonlyMap<string, ReadonlyMap<string, ServerCertificate>> {
  const claims = new Map<string, Map<string, Claim>>();
  for (const certificate of held) {
    const own = claims.get(certificate.tenant) ?? new Map<string, Claim>();
    claims.set(certificate.tenant, own);
    for (const [host, text] of Object.entries(certificate.hosts)) {
      const before = own.get(host);
      const isFirst =
        before === undefined || text < before[0] || (text === before[0] && certificate.key < before[1].key);
      if (isFirst) own.set(host, [text, certificate]);
    }
  }
  return new Map([...claims].map(([tenant, own]) => [tenant, new Map([...own].map(([host, [, one]]) => [host, one]))]));
}
