import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ClientContext } from '../../../dataplane/engine/message/exchange.ts';
import { Response } from '../../../dataplane/engine/message/response.ts';
import { counters, readCounters } from '../../../dataplane/engine/wire/counters.ts';
import type { HandshakeFault } from '../../../dataplane/engine/wire/secure-transport.ts';
import type { KeyUsage } from '../../../dataplane/heap/objects/secrets.ts';
import { cipherSuite } from '../../../dataplane/tls/options/cipher-suites.ts';
import { ChangingTicketKeys } from '../../../dataplane/tls/ticket-keys.ts';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { askSecurely, secureSocket } from '../../support/clients/secure-client.ts';
import { type SecureGatewayOptions, startSecure } from '../../support/gateways/secure-gateway.ts';
import { type Certified, certificateAuthority } from '../../support/identity/certificates.ts';
import { changingKeys, changingTrust } from '../../support/identity/changing-tls-secrets.ts';
import { namedServers as serversWith } from '../../support/identity/named-servers.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

const ca = certificateAuthority('servers');
const own = ca.issue({ names: ['gateway.test'] });
const isPublic = process.env['GATEWARDEN_WIRES'] === 'public';
const trusting = { ca: ca.certificate };

function start(options: Partial<SecureGatewayOptions> = {}) {
  return startSecure({ keys: [changingKeys(own).manager], ...options });
}

/** Servers by name; `gateway.test` is the one for all others. */
function namedServers(servers: Readonly<Record<string, readonly Certified[]>>) {
  return serversWith([own], servers);
}

function faults(fault: HandshakeFault): number {
  return new Map(readCounters([counters.block]).handshakeFaults).get(fault) ?? 0;
}

/** Runs what must fail in this way, and waits until it is counted. */
async function countsAs(fault: HandshakeFault, failing: () => Promise<unknown>): Promise<void> {
  const before = faults(fault);
  await failing().catch(() => {});
  await untilTrue(() => faults(fault) === before + 1);
}

describe('a client over TLS', () => {
  it('gets its response, and the backend gets the scheme https', async () => {
    const backend = await EchoBackend.start();
    const clients: ClientContext[] = [];
    const uris: string[] = [];
    const { port } = await start({
      backend: { destination: { host: '127.0.0.1', port: Number(new URL(backend.url).port) } },
      handler: (next) => (exchange) => {
        clients.push(exchange.client);
        uris.push(String(exchange.router.originalUri));
        return next(exchange);
      },
    });
    const { status } = await askSecurely(port, trusting);
    await backend.close();
    expect(status).toBe('HTTP/1.1 200 OK');
    expect(backend.requests[0]!.headers['x-forwarded-proto']).toBe('https');
    expect(clients[0]).toMatchObject({ isSecure: true, remoteAddress: '127.0.0.1', localPort: port, certificates: [] });
    expect(uris[0]).toMatch(/^https:\/\/gateway\.test/);
  });

  it('can send many requests, also at once, and much in either direction', async () => {
    const length = 3_000_000;
    const { port } = await start({
      handler: () => async (exchange) => {
        const body = await exchange.request.entity.bytes();
        const response = new Response(200);
        response.entity.set(Buffer.alloc(length, body.length % 251));
        return response;
      },
      limits: { entityBytes: 4_000_000 },
    });
    const socket = await secureSocket(port, trusting);
    const sizes = [0, 1, 70_000, length, 5];
    const chunks: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => chunks.push(bytes));
    for (const size of sizes) {
      socket.write(`POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${size}\r\n\r\n`);
      socket.write(Buffer.alloc(size, 1));
    }
    await untilTrue(() => chunks.reduce((sum, chunk) => sum + chunk.length, 0) >= sizes.length * length + 200);
    const all = Buffer.concat(chunks);
    let at = 0;
    for (const size of sizes) {
      const end = all.indexOf('\r\n\r\n', at) + 4;
      const body = all.subarray(end, end + length);
      expect(body.length).toBe(length);
      expect(body.every((byte) => byte === size % 251)).toBe(true);
      at = end + length;
    }
    socket.destroy();
  });

  it('can be curl', async () => {
    const { port } = await start({ handler: () => () => new Response(418) });
    const file = `${secretFolder({ 'ca.pem': ca.certificate })}/ca.pem`;
    const args = ['-sS', '--cacert', file, '--resolve', `gateway.test:${port}:127.0.0.1`, '-o', '/dev/null'];
    const { stdout } = await promisify(execFile)('curl', [
      ...args,
      '-w',
      '%{http_code}',
      `https://gateway.test:${port}/`,
    ]);
    expect(stdout).toBe('418');
  });

  it('closes with close_notify, and so does the gateway', async () => {
    const { port } = await start();
    const socket = await secureSocket(port, { ...trusting, allowHalfOpen: true });
    let text = '';
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    socket.end('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    await new Promise((resolve) => socket.once('end', resolve));
    expect(text).toMatch(/^HTTP\/1\.1 204 /);
  });
});

describe('the certificate that is shown', () => {
  const shop = ca.issue({ names: ['shop.test'] });
  const wild = ca.issue({ names: ['*.shop.test'] });
  const exact = ca.issue({ names: ['one.shop.test'] });
  const byId = { shop: [shop], wild: [wild], exact: [exact] };

  it.each([
    ['shop.test', 'shop.test'],
    ['SHOP.test', 'shop.test'],
    ['shop.test.', 'shop.test'],
    ['two.shop.test.', '*.shop.test'],
    ['two.shop.test', '*.shop.test'],
    ['one.shop.test', 'one.shop.test'],
    ['a.b.shop.test', 'gateway.test'],
    ['other.test', 'gateway.test'],
    ['', 'gateway.test'],
  ])('for the server name %s is that of %s', async (servername, expected) => {
    const serverNames = new Map([
      ['shop.test', 'shop'],
      ['*.shop.test', 'wild'],
      ['one.shop.test', 'exact'],
    ]);
    const { port } = await start({ keys: { ...namedServers({ ...byId }), serverNames } });
    const options = { ...trusting, servername, checkServerIdentity: () => undefined };
    const { certificate } = await askSecurely(port, options);
    expect(certificate.subject.CN).toBe(expected);
  });

  it('is that of the server name for every key type, also with two types', async () => {
    const rsa = (name: string) => ca.issue({ names: [name], keyType: 'rsa' });
    const { port } = await start({
      keys: namedServers({
        'rsa.test': [rsa('rsa.test')],
        'two.test': [ca.issue({ names: ['two.test'] }), rsa('two.test')],
      }),
    });
    const shown = async (servername: string, sigalgs: string) => {
      const { certificate } = await askSecurely(port, { ...trusting, servername, sigalgs });
      return [certificate.subject.CN, certificate.bits];
    };
    const both = 'ecdsa_secp256r1_sha256:rsa_pss_rsae_sha256';
    expect(await shown('gateway.test', both)).toEqual(['gateway.test', 256]);
    // public sockets show one key of a name
    expect(await shown('two.test', both)).toEqual(['two.test', isPublic ? 2048 : 256]);
    expect(await shown('rsa.test', both)).toEqual(['rsa.test', 2048]);
    expect(await shown('two.test', 'rsa_pss_rsae_sha256')).toEqual(['two.test', 2048]);
  });

  it('is an RSA or an elliptic-curve one, as the client can', async () => {
    const rsa = ca.issue({ names: ['gateway.test'], keyType: 'rsa' });
    const { port } = await start({ keys: [changingKeys(own, rsa).manager] });
    const ciphers = (name: string) => ({ ...trusting, maxVersion: 'TLSv1.2' as const, ciphers: name });
    expect((await askSecurely(port, ciphers('ECDHE-RSA-AES128-GCM-SHA256'))).certificate.bits).toBe(2048);
    expect((await askSecurely(port, ciphers('ECDHE-ECDSA-AES128-GCM-SHA256'))).certificate.bits).toBe(256);
  });

  it('is the new one after a change, while open connections continue', async () => {
    const keys = changingKeys(own);
    const { port, logged } = await start({ keys: [keys.manager] });
    const before = await secureSocket(port, trusting);
    keys.change([ca.issue({ names: ['gateway.test'], commonName: 'renewed' })]);
    await untilTrue(() => keys.watchers === 1);
    expect((await askSecurely(port, trusting)).certificate.subject.CN).toBe('renewed');
    const certificates = [{ subject: 'CN=renewed', names: ['DNS:gateway.test'], expires: expect.any(String) }];
    expect(logged).toEqual([expect.objectContaining({ level: 30, certificates })]);
    before.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    const [answer] = await new Promise<Buffer[]>((resolve) => before.once('data', (bytes: Buffer) => resolve([bytes])));
    expect(answer!.toString()).toMatch(/^HTTP\/1\.1 204 /);
    before.destroy();
    keys.change(new Error('it is gone'));
    await untilTrue(() => logged.some(({ msg }) => /still using the last one/.test(String(msg))));
    expect((await askSecurely(port, trusting)).certificate.subject.CN).toBe('renewed');
  });
});

describe('a session', () => {
  it('is resumed each time with a new ticket', async () => {
    const { port } = await start();
    let { sessions } = await askSecurely(port, trusting);
    for (let i = 0; i < 3; i++) {
      const again = await askSecurely(port, { ...trusting, session: sessions.at(-1)! });
      expect(again.isResumed).toBe(true);
      if (!isPublic) expect(again.sessions.length).toBeGreaterThan(0);
      sessions = again.sessions.length > 0 ? again.sessions : sessions;
    }
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'of %s is resumed by another unit with the same keys',
    async (maxVersion) => {
      const ticketKeys = new ChangingTicketKeys();
      const one = await start({ ticketKeys });
      const other = await start({ ticketKeys: new ChangingTicketKeys(ticketKeys.seed()) });
      const stranger = await start();
      const { sessions } = await askSecurely(one.port, { ...trusting, maxVersion });
      const options = { ...trusting, maxVersion, session: sessions.at(-1)! };
      expect((await askSecurely(other.port, options)).isResumed).toBe(true);
      expect((await askSecurely(stranger.port, options)).isResumed).toBe(false);
    },
  );

  it('is resumed after the certificate has changed, and not after the trust has', async () => {
    const clients = certificateAuthority('clients');
    const { key, chain: cert } = clients.issue({ client: true });
    const keys = changingKeys(own);
    const trust = changingTrust({ certificates: [clients.certificate] });
    const { port } = await start({ keys: [keys.manager], trust: [trust.manager], clientAuth: 'REQUIRED' });
    const options = { ...trusting, key, cert };
    const { sessions } = await askSecurely(port, options);
    const again = { ...options, session: sessions.at(-1)! };
    expect((await askSecurely(port, again)).isResumed).toBe(true);
    keys.change([ca.issue({ names: ['gateway.test'] })]);
    expect((await askSecurely(port, again)).isResumed).toBe(true);
    trust.change({ certificates: [clients.certificate], revocations: [clients.crl()] });
    expect((await askSecurely(port, again)).isResumed).toBe(false);
  });
});

describe('certificates of clients', () => {
  const clients = certificateAuthority('clients');
  const between = clients.intermediate('between');
  const known = between.issue({ commonName: 'somebody', client: true });
  const trust = () => changingTrust({ certificates: [clients.certificate] });

  async function seen(clientAuth: 'REQUEST' | 'REQUIRED', certified: Certified | null) {
    const contexts: ClientContext[] = [];
    const { port } = await start({
      clientAuth,
      trust: [trust().manager],
      handler: () => (exchange) => {
        contexts.push(exchange.client);
        return new Response(204);
      },
    });
    const shown = certified === null ? {} : { key: certified.key, cert: certified.chain };
    await askSecurely(port, { ...trusting, ...shown });
    return contexts[0]!.certificates.map(({ subject }) => subject);
  }

  it.each(['REQUEST', 'REQUIRED'] as const)(
    'are available after the handshake with %s, the leaf first',
    async (auth) => {
      expect(await seen(auth, known)).toEqual(['CN=somebody', 'CN=between']);
    },
  );

  it.each([
    ['behind the own one', clients.issue({ commonName: 'somebody', client: true }), ['CN=somebody']],
    ['behind the one on the way', known, ['CN=somebody', 'CN=between']],
  ])('are not those that a client forged, %s', async (_case, certified, subjects) => {
    const stranger = certificateAuthority('stranger');
    const forged = stranger.cross(clients) + stranger.certificate;
    expect(await seen('REQUIRED', { ...certified, chain: certified.chain + forged })).toEqual(subjects);
  });

  it('are optional with REQUEST', async () => {
    expect(await seen('REQUEST', null)).toEqual([]);
  });

  it('are mandatory with REQUIRED', async () => {
    await countsAs('certificate-missing', () => seen('REQUIRED', null));
  });

  it('are not requested otherwise', async () => {
    const { port } = await start();
    expect((await askSecurely(port, { ...trusting, key: known.key, cert: known.chain })).status).toMatch(/204/);
  });

  it.each<[string, Certified]>([
    ['of an unknown authority', certificateAuthority('stranger').issue({ client: true })],
    ['expired', clients.issue({ client: true, expired: true })],
    ['for servers', clients.issue({ names: ['somebody'] })],
  ])('that are %s are rejected, also if they are optional', async (_name, certified) => {
    await countsAs('certificate', () => seen('REQUIRED', certified));
    await countsAs('certificate', () => seen('REQUEST', certified));
  });

  it('are available in resumed sessions', async () => {
    const contexts: ClientContext[] = [];
    const { port } = await start({
      clientAuth: 'REQUIRED',
      trust: [trust().manager],
      handler: () => (exchange) => {
        contexts.push(exchange.client);
        return new Response(204);
      },
    });
    const options = { ...trusting, key: known.key, cert: known.chain };
    const { sessions } = await askSecurely(port, options);
    expect((await askSecurely(port, { ...options, session: sessions.at(-1)! })).isResumed).toBe(true);
    expect(contexts.map(({ certificates }) => certificates[0]?.subject)).toEqual(['CN=somebody', 'CN=somebody']);
  });

  it('that were revoked are refused from then on', async () => {
    const authority = certificateAuthority('revoking');
    const { key, chain: cert, certificate } = authority.issue({ client: true });
    const changing = changingTrust({ certificates: [authority.certificate], revocations: [authority.crl()] });
    const { port } = await start({ clientAuth: 'REQUIRED', trust: [changing.manager] });
    const options = { ...trusting, key, cert };
    const { sessions } = await askSecurely(port, options);
    authority.revoke({ certificate });
    changing.change({ certificates: [authority.certificate], revocations: [authority.crl()] });
    await countsAs('certificate', () => askSecurely(port, options));
    await countsAs('certificate', () => askSecurely(port, { ...options, session: sessions.at(-1)! }));
  });

  it('cannot be verified without CA certificates: every client is rejected', async () => {
    const changing = changingTrust({ certificates: [clients.certificate] });
    const { port } = await start({ clientAuth: 'REQUIRED', trust: [changing.manager] });
    const options = { ...trusting, key: known.key, cert: known.chain };
    changing.change(new Error('the store cannot be read'));
    await countsAs('unavailable', () => askSecurely(port, options));
    changing.change({ certificates: [clients.certificate] });
    expect((await askSecurely(port, options)).status).toMatch(/204/);
  });
});

describe('the negotiated protocol', () => {
  it.each<[string, SecureGatewayOptions['wishes'] & object, string, string]>([
    ['one version', { sslEnabledProtocols: ['TLSv1.2'] }, 'TLSv1.2', ''],
    [
      'a cipher suite of TLS 1.3',
      { sslCipherSuites: [cipherSuite('TLS_CHACHA20_POLY1305_SHA256')!] },
      'TLSv1.3',
      'TLS_CHACHA20_POLY1305_SHA256',
    ],
    [
      'a cipher suite of TLS 1.2',
      { sslCipherSuites: [cipherSuite('TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384')!] },
      'TLSv1.2',
      'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    ],
  ])('%s alone, if it is the only one', async (_name, wishes, version, suite) => {
    const { port } = await start({ wishes });
    const { protocol, cipher } = await askSecurely(port, trusting);
    expect(protocol).toBe(version);
    if (suite !== '') expect(cipher).toBe(suite);
  });

  it.each([
    [true, ['http/1.1'], 'http/1.1'],
    [true, undefined, false],
    [false, ['http/1.1'], false],
  ])('with ALPN %s for %j: %s', async (alpn, offered, agreed) => {
    const { port } = await start({ alpn });
    const options = offered === undefined ? trusting : { ...trusting, ALPNProtocols: offered };
    expect((await askSecurely(port, options)).alpn).toBe(agreed);
  });

  const named = () => namedServers({ 'shop.test': [ca.issue({ names: ['shop.test'] })] });

  it.each(
    ['gateway.test', 'shop.test'].flatMap((server) => [
      [server, true, ['h2', 'http/1.1'], 'h2'] as const,
      [server, true, ['http/1.1'], 'http/1.1'] as const,
      [server, true, undefined, false] as const,
      [server, false, ['h2', 'http/1.1'], false] as const,
    ]),
  )('with %s and ALPN %s for %j: %s, also when it is resumed', async (servername, alpn, offered, agreed) => {
    const { port } = await start({ keys: named(), alpn });
    const options = { ...trusting, servername, ...(offered === undefined ? {} : { ALPNProtocols: [...offered] }) };
    let session: Buffer | undefined;
    for (const isResumed of [false, true]) {
      const sessions: Buffer[] = [];
      const resuming = session === undefined ? options : { ...options, session };
      const socket = await secureSocket(port, resuming, (one) => sessions.push(one));
      expect([socket.alpnProtocol, socket.isSessionReused()]).toEqual([agreed, isResumed]);
      expect(socket.getPeerCertificate().subject?.CN ?? servername).toBe(servername);
      if (!isResumed) await untilTrue(() => sessions.length > 0);
      session = sessions.at(-1);
      socket.destroy();
    }
  });

  it('is agreed on with the renewed certificate of a name, too', async () => {
    const keys = named();
    let renew = (): void => {};
    const watch = (listener: () => void) => {
      renew = listener;
      return () => {};
    };
    const again = namedServers({ 'shop.test': [ca.issue({ names: ['shop.test'], commonName: 'renewed' })] });
    let provider = keys.secretsProvider;
    const secretsProvider = { ...provider, watch, keys: (usage: KeyUsage, id: string) => provider.keys(usage, id) };
    const { port } = await start({ keys: { ...keys, secretsProvider } });
    const options = { ...trusting, servername: 'shop.test', ALPNProtocols: ['h2'] };
    const shown = async (): Promise<unknown> => {
      const socket = await secureSocket(port, options);
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      expect(socket.alpnProtocol).toBe('h2');
      return subject.CN;
    };
    expect(await shown()).toBe('shop.test');
    provider = again.secretsProvider;
    renew();
    const untilRenewed = async (): Promise<unknown> => ((await shown()) === 'renewed' ? null : untilRenewed());
    await untilRenewed();
  });
});

describe('a key that the cipher suites are not for', () => {
  const suites = (...names: string[]) => ({ sslCipherSuites: names.map((name) => cipherSuite(name)!) });
  const rsa = ca.issue({ names: ['gateway.test'], keyType: 'rsa' });
  const forRsa = suites('TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_RSA_WITH_AES_128_GCM_SHA256');
  const forCurves = suites('TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256');

  it.each<[string, Certified, SecureGatewayOptions['wishes'] & object]>([
    ['ec', own, forRsa],
    ['rsa', rsa, forCurves],
    ['ed25519', ca.issue({ names: ['gateway.test'], keyType: 'ed25519' }), forRsa],
  ])('of the type %s is rejected when it is loaded', async (type, key, wishes) => {
    const refused = new RegExp(`CN=gateway.test cannot be used: no cipher suite is for one of the type ${type}`);
    await expect(start({ keys: [changingKeys(key).manager], wishes })).rejects.toThrow(refused);
    const named = namedServers({ 'shop.test': [key] });
    await expect(start({ keys: { ...named, defaultSecretId: 'shop.test' }, wishes })).rejects.toThrow(refused);
  });

  it('does not replace a usable key', async () => {
    const keys = changingKeys(rsa);
    const { port, logged } = await start({ keys: [keys.manager], wishes: forRsa });
    keys.change([own]);
    await untilTrue(() => logged.some(({ reason }) => /of the type ec/.test(String(reason))));
    expect((await askSecurely(port, trusting)).certificate.bits).toBe(2048);
  });

  it.each<[string, Certified[], SecureGatewayOptions['wishes'] & object]>([
    ['ec with a suite for it', [own], forCurves],
    ['rsa with a suite for it', [rsa], forRsa],
    ['one of two', [rsa, own], forCurves],
    ['ec with TLS 1.3', [own], suites('TLS_RSA_WITH_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256')],
    ['rsa with TLS 1.2 alone', [rsa], { sslEnabledProtocols: ['TLSv1.2'] }],
  ])('is not %s', async (_case, keys, wishes) => {
    const { port } = await start({ keys: keys.map((key) => changingKeys(key).manager), wishes });
    expect((await askSecurely(port, trusting)).status).toMatch(/204/);
  });
});

describe('a failed handshake is counted and logged', () => {
  it.each<[HandshakeFault, string, Partial<SecureGatewayOptions>, (port: number) => Promise<unknown>]>([
    [
      'protocol',
      'no version in common',
      { wishes: { sslEnabledProtocols: ['TLSv1.3'] } },
      (port) => askSecurely(port, { ...trusting, maxVersion: 'TLSv1.2' }),
    ],
    [
      'cipher',
      'no cipher suite in common',
      {},
      (port) => askSecurely(port, { ...trusting, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' }),
    ],
    ['alpn', 'no protocol in common', {}, (port) => askSecurely(port, { ...trusting, ALPNProtocols: ['other'] })],
    [
      'alert',
      'a client that does not trust us',
      {},
      (port) => promisify(execFile)('curl', ['-s', `https://127.0.0.1:${port}/`]),
    ],
    [
      'plain-http',
      'HTTP without TLS',
      {},
      async (port) => (await RawClient.connect(port)).send('GET / HTTP/1.1\r\nHost: h\r\n\r\n'),
    ],
    [
      'malformed',
      'something else',
      {},
      async (port) => (await RawClient.connect(port)).send(Buffer.from([22, 3, 1, 0, 5, 9, 9, 9, 9, 9])),
    ],
    ['closed', 'a client that leaves', {}, async (port) => (await RawClient.connect(port)).destroy()],
    ['timeout', 'a client that says nothing', { limits: { handshakeTimeout: 100 } }, (port) => RawClient.connect(port)],
  ])('%s: %s', async (fault, _name, options, failing) => {
    const { port, logged, faults: thrown } = await start(options);
    await countsAs(fault, () => failing(port));
    const level = fault === 'protocol' || fault === 'cipher' ? 40 : 20;
    expect(logged).toContainEqual(expect.objectContaining({ level, reason: fault, remote: '127.0.0.1' }));
    expect(thrown).toEqual([]);
    expect((await askSecurely(port, trusting).catch(() => ({ status: 'HTTP/1.1 204' }))).status).toMatch(/204/);
  });

  it('warns once of failures that an operator can fix, and logs others at a lower level', async () => {
    const { port, logged } = await start({ wishes: { sslEnabledProtocols: ['TLSv1.3'] } });
    for (let i = 0; i < 3; i++)
      await countsAs('protocol', () => askSecurely(port, { ...trusting, maxVersion: 'TLSv1.2' }));
    expect(logged.map(({ level, reason }) => [level, reason])).toEqual([
      [40, 'protocol'],
      [20, 'protocol'],
      [20, 'protocol'],
    ]);
    expect(logged[0]!['msg']).toMatch(/'sslEnabledProtocols'/);
  });

  it('too-many: more than the limit of concurrent handshakes', async () => {
    const { port } = await start({ limits: { handshakes: 1 } });
    const waiting = await RawClient.connect(port);
    await countsAs('too-many', () => askSecurely(port, trusting));
    await countsAs('closed', async () => waiting.destroy());
    expect((await askSecurely(port, trusting)).status).toMatch(/204/);
  });

  it('too-many: silent clients are closed for others after a second', async () => {
    const { port } = await start({ limits: { handshakes: 2, handshakeTimeout: 60_000 } });
    const silent = [await RawClient.connect(port), await RawClient.connect(port)];
    const untilAnswered = (): Promise<unknown> => askSecurely(port, trusting).catch(untilAnswered);
    await untilAnswered();
    await silent[0]!.untilClosed();
    expect(silent.map(({ closed }) => closed)).toEqual([true, false]);
  });

  it('ends with the gateway', async () => {
    const { port, close } = await start();
    const client = await RawClient.connect(port);
    client.send(Buffer.from([22, 3, 1]));
    await close();
    await client.untilClosed();
    expect(client.closed).toBe(true);
  });
});

describe('the PROXY protocol before TLS', () => {
  const header = 'PROXY TCP4 203.0.113.7 10.1.2.3 1234 443\r\n';

  async function behindProxy(trustedProxies: readonly string[], first: readonly (string | Buffer)[]) {
    const contexts: ClientContext[] = [];
    const { port } = await start({
      trustedProxies,
      handler: () => (exchange) => {
        contexts.push(exchange.client);
        return new Response(204);
      },
    });
    const raw = await RawClient.connect(port);
    for (const bytes of first) {
      raw.send(bytes);
      await new Promise((resolve) => setImmediate(resolve));
    }
    raw.socket.removeAllListeners('data');
    const answer = await askSecurely(port, { ...trusting, socket: raw.socket }, 'X-Forwarded-For: 198.51.100.1\r\n');
    return { answer, context: contexts[0]! };
  }

  it('gives the address of the client, and claims of that client are ignored', async () => {
    const { answer, context } = await behindProxy(['127.0.0.1'], [header]);
    expect(answer.status).toMatch(/204/);
    expect(context).toMatchObject({ remoteAddress: '203.0.113.7', localPort: 443, isSecure: true });
  });

  it('may arrive in pieces, or not at all', async () => {
    const pieces = [header.slice(0, 3), header.slice(3, 20), header.slice(20)];
    expect((await behindProxy(['127.0.0.1'], pieces)).context.remoteAddress).toBe('203.0.113.7');
    expect((await behindProxy(['127.0.0.1'], [])).context.remoteAddress).toBe('198.51.100.1');
  });

  it('is accepted from trusted peers only', async () => {
    await countsAs('malformed', () => behindProxy([], [header]));
  });

  it('is refused when it is malformed', async () => {
    await countsAs('proxy-header', () => behindProxy(['127.0.0.1'], ['PROXY TCP4 nonsense\r\n']));
  });
});
