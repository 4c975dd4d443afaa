import { execFile } from 'node:child_process';
import { connect as connectHttp2 } from 'node:http2';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { SharedResource } from '../../../../contract/snapshot.ts';
import { hostCertificate } from '../../../support/channel/host-certificate-resource.ts';
import { type SecureClientOptions, secureSocket } from '../../../support/clients/secure-client.ts';
import { serverTransport } from '../../../support/gateways/secure-gateway.ts';
import { startTenants, type TenantGatewayOptions } from '../../../support/gateways/tenant-gateway.ts';
import { type CertificateWish, type Certified, certificateAuthority } from '../../../support/identity/certificates.ts';
import { changingKeys } from '../../../support/identity/changing-tls-secrets.ts';

const isPublic = process.env['GATEWARDEN_WIRES'] === 'public';
const ca = certificateAuthority('hosts');
const group = ca.issue({ names: ['group.test'] });
const shop = { tenant: 'shop', secret: 'shop/shop-tls' };
const pay = { tenant: 'pay', secret: 'pay/pay-tls' };
const tenants = [
  { name: 'shop', hosts: ['shop.test', '*.shop.test'] },
  { name: 'pay', hosts: ['pay.test', 'pay.shop.test'] },
];

const says = (entity: string): JsonObject => ({
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
});

const certified = (names: readonly string[], wish: CertificateWish = {}): Certified => ca.issue({ names, ...wish });

/** A gateway with TLS, a Route of each tenant and these certificates. */
async function start(resources: readonly SharedResource[], options: TenantGatewayOptions = {}) {
  const logged: Record<string, unknown>[] = [];
  const gateway = await startTenants(
    { 'shop.a': { tenant: 'shop', document: says('shop') }, 'pay.a': { tenant: 'pay', document: says('pay') } },
    {
      trust: { tenants },
      resources,
      tls: (hosts) => serverTransport({ keys: [changingKeys(group).manager], hosts }, logged),
      ...options,
    },
  );
  return { ...gateway, logged };
}

interface Seen {
  readonly subject: string;
  readonly status: string;
  readonly body: string;
  readonly isResumed: boolean;
  readonly session: Buffer | null;
}

/** One request over a connection of its own: what the client was shown, and its answer. */
async function visit(
  port: number,
  servername: string | null,
  host: string,
  more: SecureClientOptions = {},
): Promise<Seen> {
  let session: Buffer | null = null;
  const socket = await secureSocket(
    port,
    { ca: ca.certificate, checkServerIdentity: () => undefined, servername: servername ?? '', ...more },
    (given) => {
      session = given;
    },
  );
  const subject = String(socket.getPeerCertificate().subject?.CN);
  const isResumed = socket.isSessionReused();
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  const chunks = await socket.toArray();
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  return { subject, status: head.split(' ')[1] ?? '', body, isResumed, session };
}

describe('a TLS client that asks for a host', () => {
  const [exact, wide, other] = [certified(['shop.test']), certified(['*.shop.test']), certified(['pay.test'])];
  const all = [
    hostCertificate(shop, ['shop.test'], exact),
    hostCertificate({ ...shop, secret: 'shop/wide' }, ['*.shop.test'], wide),
    hostCertificate(pay, ['pay.test'], other),
  ];

  it.each([
    ['shop.test', 'shop.test'],
    ['SHOP.test', 'shop.test'],
    ['shop.test.', 'shop.test'],
    ['a.shop.test', '*.shop.test'],
    ['a.b.shop.test', 'group.test'],
    ['pay.test', 'pay.test'],
    ['unknown.test', 'group.test'],
    // a host of another tenant below the wildcard
    ['pay.shop.test', 'group.test'],
    ['constructor', 'group.test'],
    [null, 'group.test'],
  ])('%s is shown the certificate of %s', async (servername, subject) => {
    const { port } = await start(all);
    expect((await visit(port, servername, 'shop.test')).subject).toBe(subject);
  });

  it('is shown that of the older Route where two certificates are for it', async () => {
    const younger = certified(['shop.test'], { commonName: 'younger' });
    const [a, b] = [
      hostCertificate({ ...shop, secret: 'shop/a', claim: '2026-02-01T00:00:00Z shop/a' }, ['shop.test'], younger),
      hostCertificate({ ...shop, secret: 'shop/b', claim: '2026-01-01T00:00:00Z shop/b' }, ['shop.test'], exact),
    ];
    for (const resources of [
      [a, b],
      [b, a],
    ]) {
      const { port } = await start(resources);
      expect((await visit(port, 'shop.test', 'shop.test')).subject).toBe('shop.test');
    }
  });

  it('is never shown a certificate of a tenant that does not have the host', async () => {
    const stolen = certified(['pay.test'], { commonName: 'stolen' });
    const { port } = await start([hostCertificate(shop, ['pay.test'], stolen)]);
    expect((await visit(port, 'pay.test', 'pay.test')).subject).toBe('group.test');
  });

  it('is shown the certificate of the connector once the grant is withdrawn', async () => {
    const { port, replaceBase } = await start(all);
    expect((await visit(port, 'shop.test', 'shop.test')).subject).toBe('shop.test');
    expect(replaceBase({}, { tenants: [{ name: 'pay', hosts: ['pay.test', 'shop.test'] }] })).toEqual([]);
    expect((await visit(port, 'shop.test', 'shop.test')).subject).toBe('group.test');
    expect((await visit(port, 'pay.test', 'pay.test')).subject).toBe('pay.test');
  });

  it('is shown that of the connector where the certificate cannot be used, and the log says why without the key', async () => {
    const mixed = { ...exact, key: other.key };
    const { port, logged } = await start([hostCertificate(shop, ['shop.test'], mixed)]);
    expect((await visit(port, 'shop.test', 'shop.test')).subject).toBe('group.test');
    await visit(port, 'shop.test', 'shop.test');
    const lines = logged.filter(({ msg }) => String(msg).startsWith('host certificate cannot be used'));
    expect(lines).toMatchObject([
      { certificate: 'Certificate/shop/shop-tls', reason: 'the private key does not belong to the certificate' },
    ]);
    expect(JSON.stringify(logged)).not.toContain(other.key.split('\n')[1]);
  });

  it('speaks HTTP/2 with it', async () => {
    const { port } = await start(all);
    const session = connectHttp2(`https://127.0.0.1:${port}`, {
      ca: ca.certificate,
      servername: 'a.shop.test',
      checkServerIdentity: () => undefined,
    });
    const answer = session.request({ ':path': '/', ':authority': 'a.shop.test' });
    const chunks = await answer.toArray();
    expect(session.alpnProtocol).toBe('h2');
    expect(Buffer.concat(chunks).toString()).toBe('shop');
    session.close();
  });

  it('gets an RSA chain with its intermediate from openssl s_client', async () => {
    const below = ca.intermediate('between').issue({ names: ['shop.test'], keyType: 'rsa' });
    const { port } = await start([hostCertificate(shop, ['shop.test'], below)]);
    const words = ['s_client', '-connect', `127.0.0.1:${port}`, '-servername', 'shop.test', '-showcerts'];
    const { stdout } = await promisify(execFile)('sh', ['-c', `openssl ${words.join(' ')} </dev/null 2>&1`]);
    expect(stdout.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(stdout).toMatch(/CN ?= ?between/);
  });
});

describe('a renewed certificate', () => {
  it('is shown to new connections, and open ones go on', async () => {
    const first = certified(['shop.test'], { commonName: 'first' });
    const second = certified(['shop.test'], { commonName: 'second' });
    const { port, change } = await start([hostCertificate(shop, ['shop.test'], first)]);
    const open = await secureSocket(port, { ca: ca.certificate, servername: 'shop.test' });
    const answer = async (): Promise<string> => {
      open.write('GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n');
      return String((await new Promise<Buffer>((resolve) => open.once('data', resolve))).toString().split(' ')[1]);
    };
    expect(await answer()).toBe('200');
    expect(change({}, { set: [hostCertificate(shop, ['shop.test'], second)], remove: [] })).toEqual([]);
    expect((await visit(port, 'shop.test', 'shop.test')).subject).toBe('second');
    expect(await answer()).toBe('200');
    expect(change({}, { set: [], remove: ['Certificate/shop/shop-tls'] })).toEqual([]);
    expect((await visit(port, 'shop.test', 'shop.test')).subject).toBe('group.test');
    expect(await answer()).toBe('200');
    open.destroy();
  });
});

describe('a request for a host with a certificate', () => {
  const [one, two] = [certified(['shop.test', 'a.shop.test']), certified(['b.shop.test'])];
  const all = [
    hostCertificate(shop, ['shop.test', 'a.shop.test'], one),
    hostCertificate({ ...shop, secret: 'shop/two' }, ['b.shop.test'], two),
  ];

  it.each([
    ['shop.test', 'shop.test', '200'],
    // one certificate for both: a client may use the connection for both
    ['shop.test', 'a.shop.test', '200'],
    ['a.shop.test', 'shop.test', '200'],
    ['shop.test', 'b.shop.test', '421'],
    ['b.shop.test', 'shop.test', '421'],
    ['c.shop.test', 'b.shop.test', '421'],
    // without a certificate of its own
    ['shop.test', 'c.shop.test', '200'],
    [null, 'b.shop.test', '200'],
  ])('on a connection for %s to %s gets %s of %s', async (servername, host, status) => {
    const { port } = await start(all);
    expect((await visit(port, servername, host)).status).toBe(status);
  });

  it('gets 421 also where one tenant has all hosts', async () => {
    const { port } = await start(all, { trust: { tenants: [{ name: 'shop', hosts: ['*'] }] } });
    const statuses = [await visit(port, 'shop.test', 'shop.test'), await visit(port, 'shop.test', 'b.shop.test')];
    expect(statuses.map(({ status }) => status)).toEqual(['200', '421']);
  });
});

describe.each(['TLSv1.3', 'TLSv1.2'] as const)('a session of %s', (version) => {
  const all = [
    hostCertificate(shop, ['shop.test'], certified(['shop.test'])),
    hostCertificate({ ...shop, secret: 'shop/b' }, ['b.shop.test'], certified(['b.shop.test'])),
  ];
  const terms = { minVersion: version, maxVersion: version } as const;

  it('is resumed for its own host', async () => {
    const { port } = await start(all);
    const { session } = await visit(port, 'shop.test', 'shop.test', terms);
    const again = await visit(port, 'shop.test', 'shop.test', { ...terms, session: session! });
    expect(again).toMatchObject({ isResumed: true, status: '200', body: 'shop' });
    const there = await visit(port, 'shop.test', 'b.shop.test', { ...terms, session: session! });
    // public sockets do not know the server name of a resumed connection of TLS 1.2
    expect(there.status).toBe(isPublic && version === 'TLSv1.2' ? '200' : '421');
  });

  it.each(['b.shop.test', 'unknown.test', null])('of a host with a certificate is not resumed for %s', async (name) => {
    const { port } = await start(all);
    const { session } = await visit(port, 'shop.test', 'shop.test', terms);
    const other = await visit(port, name, 'b.shop.test', { ...terms, session: session! });
    expect(other.isResumed).toBe(false);
  });

  it('of the connector is not resumed for a host with a certificate', async () => {
    const { port } = await start(all);
    const { session } = await visit(port, 'unknown.test', 'c.shop.test', terms);
    const other = await visit(port, 'shop.test', 'shop.test', { ...terms, session: session! });
    expect(other).toMatchObject({ isResumed: false, subject: 'shop.test', status: '200' });
  });
});
