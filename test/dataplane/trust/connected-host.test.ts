import { once } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { secureSocket } from '../../support/clients/secure-client.ts';
import { startSecure } from '../../support/gateways/secure-gateway.ts';
import { startTenants } from '../../support/gateways/tenant-gateway.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { changingKeys } from '../../support/identity/changing-tls-secrets.ts';

const NAMES = ['shop.test', 'www.shop.test', 'pay.test', 'nobody.test'];
const ca = certificateAuthority('servers');
const own = ca.issue({ names: NAMES });
const says = (entity: string): JsonObject => ({
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
});
const tenants = [
  { name: 'shop', hosts: ['shop.test', 'www.shop.test'] },
  { name: 'pay', hosts: ['pay.test'] },
];
const routes = {
  's.a': { tenant: 'shop', document: says('shop') },
  'p.a': { tenant: 'pay', document: says('pay') },
};

async function start(options: { trustedProxies?: readonly string[] } = {}): Promise<number> {
  const { configuration } = await startTenants(routes, { trust: { tenants } });
  const gateway = await startSecure({
    keys: [changingKeys(own).manager],
    handler: () => configuration.handle,
    ...options,
  });
  return gateway.port;
}

async function overHttp1(port: number, servername: string, host: string): Promise<string> {
  const socket = await secureSocket(port, { ca: ca.certificate, servername });
  socket.end(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length);
}

async function overHttp2(port: number, servername: string, host: string): Promise<string> {
  const session = connect(`https://${servername}:${port}`, { ca: ca.certificate, host: '127.0.0.1', servername });
  const stream = session.request({ ':authority': host });
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  session.destroy();
  return String(answer[':status']);
}

const ROWS = [
  ['shop.test', 'shop.test', '200'],
  ['shop.test', 'www.shop.test', '200'],
  ['shop.test', 'SHOP.test', '200'],
  // what was agreed on for one tenant is not for another
  ['shop.test', 'pay.test', '421'],
  ['pay.test', 'www.shop.test', '421'],
  ['nobody.test', 'pay.test', '200'],
  ['shop.test', 'nobody.test', '404'],
] as const;

describe('a connection that was made for a host', () => {
  it.each(ROWS)('%s answers requests for %s with %s', async (servername, host, status) => {
    const port = await start();
    expect([await overHttp1(port, servername, host), await overHttp2(port, servername, host)]).toEqual([
      status,
      status,
    ]);
  });

  it('of a trusted proxy is for every host', async () => {
    const port = await start({ trustedProxies: ['127.0.0.0/8'] });
    expect(await overHttp1(port, 'shop.test', 'pay.test')).toBe('200');
  });
});
