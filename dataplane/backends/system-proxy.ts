import type { Logger } from 'pino';
import type { Reach } from '../../contract/reach.ts';
import type { HttpProxy, ProxyOptions } from '../heap/objects/proxy-options.ts';

/** Hosts that are never asked for through the proxy of the system, unless somebody says that there are none. */
const ALWAYS_STRAIGHT = 'localhost|127.*|[::1]|0.0.0.0|[::0]';

/** The proxy that system properties name, as Java reads them. @throws when a port is none. */
export function systemProxy(reach: Reach): ProxyOptions {
  const http = proxyOf(reach, 'http', 80);
  const https = proxyOf(reach, 'https', 443);
  const httpStraight = straightHosts(reach.system('http.nonProxyHosts'));
  const httpsStraight = straightHosts(reach.system('https.nonProxyHosts') ?? reach.system('http.nonProxyHosts'));
  return {
    proxyFor(scheme, host) {
      const [proxy, straight] = scheme === 'https' ? [https, httpsStraight] : [http, httpStraight];
      return proxy === null || straight(host) ? null : proxy;
    },
  };
}

/** The same for an object that a configuration asks for, with a warning where there is no such proxy. */
export function configuredSystemProxy(reach: Reach, log: Pick<Logger, 'warn'>): ProxyOptions {
  if (!namesSystemProxy(reach)) {
    log.warn('neither http.proxyHost nor https.proxyHost is set; requests go directly to backends');
  }
  return systemProxy(reach);
}

/** Whether the system names a proxy at all. */
function namesSystemProxy(reach: Reach): boolean {
  return ['http', 'https'].some((scheme) => (reach.system(`${scheme}.proxyHost`) ?? '') !== '');
}

function proxyOf(reach: Reach, scheme: string, usualPort: number): HttpProxy | null {
  const host = reach.system(`${scheme}.proxyHost`) ?? '';
  if (host === '') return null;
  const said = reach.system(`${scheme}.proxyPort`) ?? String(usualPort);
  const port = /^\d{1,5}$/.test(said) ? Number(said) : 0;
  if (port < 1 || port > 65_535) throw new Error(`the system property ${scheme}.proxyPort is not a port: '${said}'`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port, authorization: () => Promise.resolve(null) };
}

/** Tells hosts that are asked for straight: patterns with `*` between bars, to which the local ones are added. */
function straightHosts(property: string | undefined): (host: string) => boolean {
  const patterns = property === undefined ? ALWAYS_STRAIGHT : property === '' ? '' : `${property}|${ALWAYS_STRAIGHT}`;
  const names = patterns
    .split('|')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  const matchers = names.map((name) => {
    const parts = name.split('*').map((part) => part.replace(/[.[\]{}()+?^$\\|]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`, 'i');
  });
  return (host) => {
    const written = host.includes(':') ? `[${host}]` : host;
    return matchers.some((matcher) => matcher.test(written));
  };
}
