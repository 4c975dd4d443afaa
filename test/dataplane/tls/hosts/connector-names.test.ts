import { once } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { hostCertificate } from '../../../support/channel/host-certificate-resource.ts';
import { type SecureClientOptions, secureSocket } from '../../../support/clients/secure-client.ts';
import { type SecureGatewayOptions, serverTransport, startSecure } from '../../../support/gateways/secure-gateway.ts';
import { startTenants, type TenantRoute } from '../../../support/gateways/tenant-gateway.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';
import { changingTrust } from '../../../support/identity/changing-tls-secrets.ts';
import { namedServers } from '../../../support/identity/named-servers.ts';

const ca = certificateAuthority('servers');
const standard = [ca.issue({ names: ['group.test'] })];
const [a, wide, ab] = [['a.test'], ['*.wide.test'], ['c.test', 'd.test']].map((names) => ca.issue({ names }));
/** The names of the connector: two of them have one certificate. */
const named = namedServers(standard, { 'a.test': [a!], '*.wide.test': [wide!], cd: [ab!] });
const keys = {
  ...named,
  serverNames: new Map([
    ['a.test', 'a.test'],
    ['*.wide.test', '*.wide.test'],
    ['c.test', 'cd'],
    ['d.test', 'cd'],
    ['e.test', 'own'],
  ]),
};
/** One for a host that the connector has too, and for one that it has not. */
const ofTenant = hostCertificate(
  { tenant: 'shop', secret: 'shop/tls' },
  ['a.test', 'f.test', 'x.wide.test'],
  ca.issue({ names: ['a.test', 'f.test', 'x.wide.test'] }),
);

const document: JsonObject = { handler: { type: 'StaticResponseHandler', config: { status: 200 } } };

async function start(route: TenantRoute = { tenant: 'shop', document }): Promise<number> {
  const gateway = await startTenants(
    { 'shop.a': route },
    { resources: [ofTenant], tls: (hosts) => serverTransport({ keys, hosts }) },
  );
  return gateway.port;
}

const trusting: SecureClientOptions = { ca: ca.certificate, checkServerIdentity: () => undefined };

async function overHttp1(port: number, servername: string, host: string): Promise<string> {
  const socket = await secureSocket(port, { ...trusting, servername });
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const chunks = await socket.toArray();
  return Buffer.concat(chunks).toString().split(' ')[1] ?? '';
}

async function overHttp2(port: number, servername: string, host: string): Promise<string> {
  const session = connect(`https://127.0.0.1:${port}`, { ...trusting, servername });
  const stream = session.request({ ':authority': host });
  const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  session.destroy();
  return String(answer[':status']);
}

describe('a connection of a connector with certificates by name', () => {
  it.each([
    ['a.test', 'a.test', '200'],
    ['a.test', 'A.test.', '200'],
    ['a.test.', 'a.test', '200'],
    ['a.test.', 'c.test', '421'],
    ['a.test', 'c.test', '421'],
    ['c.test', 'a.test', '421'],
    ['unknown.test', 'a.test', '421'],
    ['a.test', 'y.wide.test', '421'],
    // one certificate for both
    ['c.test', 'd.test', '200'],
    ['y.wide.test', 'z.wide.test', '200'],
    // the certificate for all other names
    ['a.test', 'unknown.test', '200'],
    ['a.test', 'e.test', '200'],
    ['e.test', 'unknown.test', '200'],
    // the certificate of the tenant is for both, but the connector shows its own for the first
    ['a.test', 'f.test', '421'],
    ['f.test', 'a.test', '421'],
    // an exact name of the tenant comes before a wildcard of the connector
    ['f.test', 'x.wide.test', '200'],
    ['y.wide.test', 'x.wide.test', '421'],
  ])('for %s answers a request for %s with %s', async (servername, host, status) => {
    const port = await start();
    expect([await overHttp1(port, servername, host), await overHttp2(port, servername, host)]).toEqual([
      status,
      status,
    ]);
  });

  it('answers requests for every host that a route of the operator is for', async () => {
    const port = await start({ document });
    expect([await overHttp1(port, 'a.test', 'c.test'), await overHttp2(port, 'a.test', 'c.test')]).toEqual([
      '200',
      '200',
    ]);
  });
});

describe('a connector that requires client certificates', () => {
  const clients = certificateAuthority('clients');
  const options: SecureGatewayOptions = {
    keys,
    clientAuth: 'REQUIRED',
    trust: [changingTrust({ certificates: [clients.certificate] }).manager],
  };

  // in TLS 1.3 a client learns after its handshake that it was rejected, and not always by an error
  const versions = ['TLSv1.2', 'TLSv1.3'] as const;
  const names = ['a.test', 'y.wide.test', 'c.test', 'e.test', 'unknown.test', ''];
  it.each(versions.flatMap((version) => names.map((name) => [version, name] as const)))(
    'rejects a client without one in %s for the server name "%s"',
    async (version, servername) => {
      const { port } = await startSecure(options);
      const terms = { ...trusting, servername, minVersion: version, maxVersion: version };
      const { certificate: cert, key } = clients.issue({ client: true, commonName: 'client' });
      const visit = async (more: SecureClientOptions): Promise<string> => {
        const socket = await secureSocket(port, { ...terms, ...more });
        socket.write('GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n');
        return Buffer.concat(await socket.toArray()).toString();
      };
      expect(await visit({ cert, key })).toMatch(/^HTTP\/1.1 204/);
      expect(await visit({}).catch(() => '')).toBe('');
    },
  );
});
