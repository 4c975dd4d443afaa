import { isIP } from 'node:net';
import type { Uri } from '../../engine/message/uri.ts';

const MOST_DOMAINS = 4;
const EXPIRED = 'Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT';

/**
 * `Set-Cookie` lines that make a browser forget a cookie that somebody else set for this host or for a domain above it:
 * which domain that was is not in a request.
 */
export function cookieRemovals(name: string, { host, scheme }: Pick<Uri, 'host' | 'scheme'>): string[] {
  const labels = isIP(host) === 0 ? host.split('.') : [];
  const domains = labels.map((_, index) => labels.slice(index).join('.')).slice(0, -1);
  // browsers ignore lines for names with a prefix such as `__Secure-` without it
  const expired = scheme === 'https' ? `${EXPIRED}; Secure` : EXPIRED;
  return [
    `${name}=; ${expired}`,
    ...domains.slice(-MOST_DOMAINS).map((domain) => `${name}=; Domain=${domain}; ${expired}`),
  ];
}
