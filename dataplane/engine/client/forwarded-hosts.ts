import { canonicalAuthority } from '../head/canonical-host.ts';
import type { Headers } from '../head/headers.ts';

const X_FORWARDED_HOST = 'x-forwarded-host';
/** A host in `Forwarded` (RFC 7239): a token, or a quoted string without escapes. */
const HOST_PARAMETER = /(^|[;,])([ \t]*)host=(?:"([^"\\]*)"|([^ \t;,"]+))/gi;

/** Gives the hosts that a trusted proxy names their one spelling, for everybody who reads them; other ones go. */
export function canonicalForwardedHosts(headers: Headers, scheme: string): void {
  const hosts = headers.get(X_FORWARDED_HOST);
  if (hosts !== null) {
    const proto = headers.get('x-forwarded-proto')?.toLowerCase();
    const one = canonicalList(hosts, proto === 'https' || proto === 'http' ? proto : scheme);
    if (one === null) headers.delete(X_FORWARDED_HOST);
    else if (one !== hosts) headers.set('X-Forwarded-Host', one);
  }
  const forwarded = headers.get('forwarded');
  if (forwarded === null || !/host=/i.test(forwarded)) return;
  const one = canonicalParameters(forwarded, scheme);
  if (one !== forwarded) headers.set('Forwarded', one);
}

function canonicalList(hosts: string, scheme: string): string | null {
  const list = hosts.split(',').map((host) => canonicalAuthority(host.trim(), scheme));
  return list.includes(null) ? null : list.join(', ');
}

function canonicalParameters(forwarded: string, scheme: string): string {
  return forwarded.replaceAll(
    HOST_PARAMETER,
    (whole, before: string, space: string, quoted: string | undefined, token: string | undefined) => {
      const host = canonicalAuthority(quoted ?? token ?? '', /proto=https/i.test(forwarded) ? 'https' : scheme);
      return host === null ? whole : `${before}${space}host="${host}"`;
    },
  );
}
