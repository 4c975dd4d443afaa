import type { Tenant } from '../snapshot.ts';
import { plainHost } from './plain-host.ts';

/** Finds whose a host is: a grant of the host itself comes first, then the longest wildcard, then `*`. */
export class HostGrants {
  /** The tenant that all hosts belong to, or null where somebody has to look. */
  readonly only: string | null;
  private readonly exact = new Map<string, string>();
  /** By what stands after `*.`. */
  private readonly wildcards = new Map<string, string>();
  private readonly everything: string | null;

  /** Of two grants of one host, the first counts. */
  constructor(tenants: readonly Tenant[]) {
    let everything: string | null = null;
    for (const { name, hosts } of tenants) {
      for (const host of hosts) {
        if (host === '*') everything ??= name;
        else if (host.startsWith('*.')) add(this.wildcards, host.slice(2), name);
        else add(this.exact, host, name);
      }
    }
    this.everything = everything;
    this.only = this.exact.size === 0 && this.wildcards.size === 0 ? everything : null;
  }

  /** The tenant whose this host is, without port or brackets, as a client wrote it; null for nobody's. */
  tenantOf(host: string): string | null {
    return this.exact.get(host) ?? this.search(plainHost(host)) ?? this.everything;
  }

  private search(host: string): string | undefined {
    const exact = this.exact.get(host);
    if (exact !== undefined || this.wildcards.size === 0 || host.includes(':')) return exact;
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
      const found = dot === 0 ? undefined : this.wildcards.get(host.slice(dot + 1));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function add(grants: Map<string, string>, host: string, tenant: string): void {
  if (!grants.has(host)) grants.set(host, tenant);
}
