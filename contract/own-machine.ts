/** Parts of a request that show its origin. */
export interface AskedFrom {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Headers that proxies add: somebody else speaks through them. Some proxies add only one of them. */
const SPOKEN_FOR =
  /^(?:via|forwarded|x-forwarded(?:-.+)?|x-original-.+|x-envoy-.+|x-real-ip|(?:x-)?(?:true-|cluster-)?client-ip|cf-.+|cdn-loop|fastly-client-ip)$/;
/** Values of browsers for pages of this server, and for what a person asks. Pages of others have another one. */
const OWN_PAGES = ['same-origin', 'none'];

/**
 * True if a program on this machine asks on its own behalf, or a page of this server, and not a client of a proxy or a page
 * of the web. A page of the web that gives its own name the address of this machine is known by the Host header.
 */
export function isFromThisMachine(request: AskedFrom): boolean {
  return isAtThisMachine(request) && !isFromOtherPage(request);
}

/** True if a person on this machine opens a page of this server, also by a link in a page of somebody else. */
export function isOpenedHere(request: AskedFrom): boolean {
  const { headers } = request;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return isAtThisMachine(request) && (isNavigation ? headers['origin'] === undefined : !isFromOtherPage(request));
}

function isAtThisMachine({ socket, headers }: AskedFrom): boolean {
  if (!isLoopback(socket.remoteAddress) || Object.keys(headers).some((name) => SPOKEN_FOR.test(name))) return false;
  const host = String(headers['host'] ?? '')
    .replace(/:\d*$/, '')
    .toLowerCase();
  return host === 'localhost' || isLoopback(host.replace(/^\[(.*)\]$/, '$1'));
}

/** True if a browser asks for a page of another origin: its cookies and its address do not say who wants it. */
export function isFromOtherPage({ headers }: Pick<AskedFrom, 'headers'>): boolean {
  if (!OWN_PAGES.includes(String(headers['sec-fetch-site'] ?? 'none'))) return true;
  const origin = headers['origin'];
  if (origin === undefined) return false;
  return !URL.canParse(String(origin)) || new URL(String(origin)).host !== String(headers['host']).toLowerCase();
}

/**
 * True only if a browser says that a page of this server asks, by one header at least, and no header says otherwise. A
 * credential that browsers send by themselves counts for such requests only, whatever their method.
 *
 * @param headers all values of each header
 */
export function isFromOwnPage(headers: Readonly<Record<string, readonly string[] | undefined>>): boolean {
  const { host = [], origin = [], 'sec-fetch-site': site = [] } = headers;
  if (host.length !== 1 || origin.length > 1 || site.length > 1) return false;
  const isOwnSite = site.length === 0 ? null : site[0] === 'same-origin';
  const isOwnOrigin = origin.length === 0 ? null : origin[0] === `https://${host[0]!.toLowerCase()}`;
  return isOwnSite !== false && isOwnOrigin !== false && (isOwnSite === true || isOwnOrigin === true);
}

/** Whether an address is that of a peer on this machine. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/.test(address);
}
