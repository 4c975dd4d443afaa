import { isIP } from 'node:net';

const MOST_DOMAINS = 4;
const EXPIRED = 'Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT';

/**
 * `Set-Cookie` lines that make a browser forget a cookie that somebody else set for this host or for a domain above it:
 * which domain that was is not in a request.
 */
export function cookieRemovals(name: string, host: string): string[] {
  const labels = isIP(host) === 0 ? host.split('.') : [];
  const domains = labels.map((_, index) => labels.slice(index).join('.')).slice(0, -1);
  return [
    `${name}=; ${EXPIRED}`,
    ...domains.slice(-MOST_DOMAINS).map((domain) => `${name}=; Domain=${domain}; ${EXPIRED}`),
  ];
}
