import { execFileSync } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Backend } from '../../../dataplane/engine/backend/backend.ts';
import type { Protocol } from '../../../dataplane/engine/wire/connect.ts';
import type { ClientTls } from '../../../dataplane/heap/objects/tls.ts';
import { type ClientTlsParts, clientTls } from '../../../dataplane/tls/client-credentials.ts';
import { cipherSuite } from '../../../dataplane/tls/options/cipher-suites.ts';
import { tlsRules } from '../../../dataplane/tls/options/tls-rules.ts';
import { tlsConnect } from '../../../dataplane/tls/tls-connect.ts';
import { startTlsBackend } from '../../support/backends/tls-backend.ts';
import { ask } from '../../support/clients/answers.ts';
import { startGateway } from '../../support/gateways/gateway.ts';
import { type Certified, certificateAuthority } from '../../support/identity/certificates.ts';
import { changingKeys, changingTrust } from '../../support/identity/changing-tls-secrets.ts';

const ca = certificateAuthority('the authority');
const HOST = 'backend.test';
const good = ca.issue({ names: [HOST] });
const trustsCa = () => changingTrust({ certificates: [ca.certificate] }).manager;

function tlsWith(parts: Partial<ClientTlsParts> = {}): ClientTls {
  return clientTls({
    keyManagers: [],
    trustManagers: [trustsCa()],
    rules: tlsRules({}),
    alpn: true,
    checksNames: true,
    log: pino({ level: 'silent' }),
    onClose: onTestFinished,
    ...parts,
  });
}

function shows({ chain, key }: Certified, more: TlsOptions = {}): TlsOptions {
  return { cert: chain, key, ...more };
}

interface Way {
  readonly port: number;
  readonly tls?: ClientTls;
  readonly host?: string;
  readonly protocols?: readonly Protocol[];
  readonly reuse?: boolean;
}

/** A gateway that sends everything to a backend over TLS. */
async function startTowards({ port, tls = tlsWith(), host = HOST, protocols = ['http/1.1'], reuse = true }: Way) {
  const failures: string[] = [];
  const backend = new Backend({
    destination: { host: '127.0.0.1', port },
    connect: tlsConnect(tls, host, protocols),
    failed: (refusal, reason) => failures.push(`${refusal}: ${reason}`),
    reuse,
  });
  const gateway = await startGateway({ handler: () => backend.handle });
  onTestFinished(async () => {
    await gateway.close();
    backend.close();
  });
  return { failures, request: () => ask(gateway.port, 'GET / HTTP/1.1\r\nHost: h\r\n') };
}

describe('a backend over TLS', () => {
  it('gets its server name (SNI) and answers', async () => {
    const { port, connections } = await startTlsBackend(shows(good));
    const { request, failures } = await startTowards({ port });
    const answer = await request();
    expect([answer.status, answer.body]).toEqual([200, 'hello']);
    expect(connections).toEqual([{ isResumed: false, server: HOST, peer: '' }]);
    expect(failures).toEqual([]);
  });

  it('with an IP address gets no server name (SNI)', async () => {
    const { port, connections } = await startTlsBackend(shows(ca.issue({ names: ['127.0.0.1'] })));
    const { request } = await startTowards({ port, host: '127.0.0.1' });
    expect((await request()).status).toBe(200);
    expect(connections[0]!.server).toBe(false);
  });

  it('keeps its connection between requests, and later connections resume its session', async () => {
    const { port, connections } = await startTlsBackend(shows(good));
    const kept = await startTowards({ port });
    for (let i = 0; i < 3; i++) await kept.request();
    expect(connections).toHaveLength(1);
    const anew = await startTowards({ port, reuse: false });
    for (let i = 0; i < 3; i++) expect((await anew.request()).status).toBe(200);
    expect(connections.slice(1).map(({ isResumed }) => isResumed)).toEqual([false, true, true]);
  });

  it('shows its certificate again when the one of its session has expired', async () => {
    const { port, connections } = await startTlsBackend(shows(good));
    const { request } = await startTowards({ port, reuse: false });
    for (let i = 0; i < 2; i++) await request();
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2199-01-01') });
    onTestFinished(() => void vi.useRealTimers());
    await request();
    expect(connections.map(({ isResumed }) => isResumed)).toEqual([false, true, false]);
  });
});

describe('a certificate that is refused', () => {
  const other = certificateAuthority('a stranger');
  const intermediate = ca.intermediate('between');
  it.each<[string, Certified, RegExp]>([
    ['expired', ca.issue({ names: [HOST], expired: true }), /it has expired \(.+GMT\)/],
    ['not valid yet', ca.issue({ names: [HOST], early: true }), /it is not valid yet/],
    [
      'for another host',
      ca.issue({ names: ['a.test', '*.b.test'] }),
      /not valid for 'backend\.test': it is for a\.test, \*\.b\.test/,
    ],
    ['for no host', ca.issue({ commonName: 'somebody' }), /it is for somebody/],
    ['of an unknown authority', other.issue({ names: [HOST] }), /its issuer is not trusted \(issuer CN=a stranger\)/],
    ['signed by itself', selfSigned(HOST), /it is self-signed and not trusted/],
    ['for clients', ca.issue({ names: [HOST], client: true }), /it is for another purpose/],
    ['without what is between it and the root', leafOnly(intermediate.issue({ names: [HOST] })), /issuer CN=between/],
  ])('is reported with the reason: %s', async (_name, shown, reason) => {
    const { port } = await startTlsBackend(shows(shown));
    const { request, failures } = await startTowards({ port });
    expect((await request()).status).toBe(502);
    expect(failures).toHaveLength(1);
    expect(failures[0]).toMatch(/^backend-tls: /);
    expect(failures[0]).toMatch(reason);
  });

  it('with the intermediate certificate it is accepted', async () => {
    const { port } = await startTlsBackend(shows(intermediate.issue({ names: [HOST] })));
    expect((await (await startTowards({ port })).request()).status).toBe(200);
  });

  it('names hosts briefly, and nothing in a certificate breaks the line', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `h${i}.test`);
    const { port } = await startTlsBackend(shows(ca.issue({ names, commonName: 'a\nb' })));
    const { request, failures } = await startTowards({ port });
    await request();
    expect(failures[0]).toMatch(/it is for a, b, h0\.test, h1\.test, h2\.test, h3\.test and 36 more$/);
  });
});

function leafOnly(certified: Certified): Certified {
  return { ...certified, chain: certified.certificate };
}

/** A certificate that nobody else signed. */
function selfSigned(name: string): Certified {
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  const pem = execFileSync('openssl', [...request, '-keyout', '-', '-subj', `/CN=${name}`], {
    stdio: 'pipe',
  }).toString();
  const [key = ''] = /-----BEGIN PRIVATE[\s\S]*?-----END PRIVATE KEY-----\n/.exec(pem) ?? [];
  const [certificate = ''] = /-----BEGIN CERT[\s\S]*?-----END CERTIFICATE-----\n/.exec(pem) ?? [];
  return { key, certificate, chain: certificate, pem };
}

describe('trust in backends', () => {
  it('includes every certificate with a TrustAllManager, but names are still verified', async () => {
    const stranger = certificateAuthority('a stranger').issue({ names: [HOST] });
    const { port } = await startTlsBackend(shows(stranger));
    const everybody = tlsWith({ trustManagers: [changingTrust({ everything: true }).manager] });
    expect((await (await startTowards({ port, tls: everybody })).request()).status).toBe(200);
    const elsewhere = await startTowards({ port, tls: everybody, host: 'elsewhere.test' });
    expect((await elsewhere.request()).status).toBe(502);
  });

  it('includes any name of a trusted CA with ALLOW_ALL', async () => {
    const tls = tlsWith({ checksNames: false });
    const { port } = await startTlsBackend(shows(ca.issue({ names: ['a.test'] })));
    expect((await (await startTowards({ port, tls })).request()).status).toBe(200);
    const strange = await startTlsBackend(shows(certificateAuthority('x').issue({ names: [HOST] })));
    expect((await (await startTowards({ port: strange.port, tls })).request()).status).toBe(502);
  });

  it('a certificate itself', async () => {
    const { port } = await startTlsBackend(shows(good));
    const tls = tlsWith({ trustManagers: [changingTrust({ certificates: [good.certificate] }).manager] });
    expect((await (await startTowards({ port, tls })).request()).status).toBe(200);
  });

  it('includes the CA certificates of several managers', async () => {
    const second = certificateAuthority('second');
    const managers = [trustsCa(), changingTrust({ certificates: [second.certificate] }).manager];
    const tls = tlsWith({ trustManagers: managers });
    for (const authority of [ca, second]) {
      const { port } = await startTlsBackend(shows(authority.issue({ names: [HOST] })));
      expect((await (await startTowards({ port, tls })).request()).status).toBe(200);
    }
  });

  it('is limited to the CA certificates of the platform by default', async () => {
    const { port } = await startTlsBackend(shows(good));
    const { request, failures } = await startTowards({ port, tls: tlsWith({ trustManagers: [] }) });
    expect((await request()).status).toBe(502);
    expect(failures[0]).toMatch(/its issuer is not trusted/);
  });

  it('excludes revoked certificates and those with unknown revocation', async () => {
    const authority = certificateAuthority('revoking');
    const [fine, revoked] = [authority.issue({ names: [HOST] }), authority.issue({ names: [HOST] })];
    authority.revoke(revoked);
    const certificates = [authority.certificate, ca.certificate];
    const tls = tlsWith({ trustManagers: [changingTrust({ certificates, revocations: [authority.crl()] }).manager] });
    const outcomes: [number, string | undefined][] = [];
    for (const shown of [fine, revoked, good]) {
      const { port } = await startTlsBackend(shows(shown));
      const { request, failures } = await startTowards({ port, tls });
      outcomes.push([
        (await request()).status,
        failures[0]?.replace(/^backend-tls: the certificate is rejected: /, ''),
      ]);
    }
    expect(outcomes).toEqual([
      [200, undefined],
      [502, 'it is revoked'],
      [502, expect.stringMatching(/^its revocation status is unknown: there is no CRL/)],
    ]);
    const late = changingTrust({ certificates, revocations: [authority.crl({ expired: true })] });
    const { port } = await startTlsBackend(shows(fine));
    const { request, failures } = await startTowards({ port, tls: tlsWith({ trustManagers: [late.manager] }) });
    expect((await request()).status).toBe(502);
    expect(failures[0]).toMatch(/the CRL of its issuer has expired/);
  });

  it('excludes everyone while the CA certificates are not available', async () => {
    const { port, connections } = await startTlsBackend(shows(good));
    const trust = changingTrust({});
    trust.change(new Error('the store cannot be read'));
    const { request, failures } = await startTowards({ port, tls: tlsWith({ trustManagers: [trust.manager] }) });
    expect((await request()).status).toBe(502);
    expect(failures).toEqual(['backend-tls: keys or CA certificates are not available: the store cannot be read']);
    trust.change({ certificates: [ca.certificate] });
    expect((await request()).status).toBe(200);
    expect(connections).toHaveLength(1);
  });
});

describe('client certificates', () => {
  const asks = { requestCert: true, ca: [ca.certificate] };

  it('are sent to backends that request them', async () => {
    const keys = changingKeys(ca.issue({ commonName: 'gateway', client: true }));
    const tls = tlsWith({ keyManagers: [keys.manager] });
    expect(tls.usesClientCertificate).toBe(true);
    const { port, connections } = await startTlsBackend(shows(good, asks));
    const { request } = await startTowards({ port, tls });
    expect((await request()).status).toBe(200);
    expect(connections[0]!.peer).toBe('gateway');
  });

  it('that change are used for new connections, and open ones stay', async () => {
    const keys = changingKeys(ca.issue({ commonName: 'before', client: true }));
    const logged: Record<string, unknown>[] = [];
    const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
    const tls = tlsWith({ keyManagers: [keys.manager], log });
    const { port, connections } = await startTlsBackend(shows(good, asks));
    const kept = await startTowards({ port, tls });
    const anew = await startTowards({ port, tls, reuse: false });
    await kept.request();
    await anew.request();
    keys.change([ca.issue({ commonName: 'after', client: true })]);
    expect((await kept.request()).status).toBe(200);
    expect(connections).toHaveLength(2);
    expect((await anew.request()).status).toBe(200);
    expect(connections.map(({ peer, isResumed }) => [peer, isResumed])).toEqual([
      ['before', false],
      ['before', false],
      ['after', false],
    ]);
    const certificates = [{ subject: 'CN=after', names: [], expires: expect.any(String) }];
    expect(logged).toEqual([expect.objectContaining({ level: 30, certificates, authorities: 1 })]);
  });

  it('that are unchanged after a new lookup keep sessions', async () => {
    const own = ca.issue({ commonName: 'same', client: true });
    const keys = changingKeys(own);
    const { port, connections } = await startTlsBackend(shows(good, asks));
    const { request } = await startTowards({ port, tls: tlsWith({ keyManagers: [keys.manager] }), reuse: false });
    await request();
    keys.change([own]);
    await request();
    expect(connections.map(({ isResumed }) => isResumed)).toEqual([false, true]);
  });

  it.each<[TlsOptions, Protocol[], RegExp]>([
    [
      { maxVersion: 'TLSv1.2' },
      ['http/1.1'],
      /^backend-tls: the handshake failed: .*the backend requires a certificate/,
    ],
    [{}, ['http/1.1'], /^backend-tls: the backend aborted TLS: the backend requires a certificate, .*'keyManager'/],
    [{}, ['h2'], /^backend-tls: the backend aborted TLS: the backend requires a certificate, .*'keyManager'/],
  ])('that are missing are reported, with %j and %j', async (options, protocols, reason) => {
    const strict = { ...asks, ...options, rejectUnauthorized: true, ALPNProtocols: protocols };
    const { port } = await startTlsBackend(shows(good, strict));
    const { request, failures } = await startTowards({ port, protocols });
    expect((await request()).status).toBe(502);
    expect(failures).toEqual([expect.stringMatching(reason)]);
  });
});

describe('the negotiated protocol', () => {
  it.each<[string, readonly Protocol[], string[], string | false, boolean]>([
    ['HTTP/1.1 by ALPN', ['http/1.1'], ['http/1.1'], 'http/1.1', true],
    ['nothing, if ALPN is off', ['http/1.1'], ['http/1.1'], false, false],
  ])('is %s', async (_name, protocols, offered, expected, alpn) => {
    const { port, server } = await startTlsBackend(shows(good, { ALPNProtocols: offered }));
    const agreed: unknown[] = [];
    server.on('secureConnection', (socket) => agreed.push(socket.alpnProtocol));
    const { request } = await startTowards({ port, protocols, tls: tlsWith({ alpn }) });
    expect((await request()).status).toBe(200);
    expect(agreed).toEqual([expected]);
  });

  it('no protocol in common', async () => {
    const { port } = await startTlsBackend(shows(good, { ALPNProtocols: ['other'] }));
    const { request, failures } = await startTowards({ port });
    expect((await request()).status).toBe(502);
    expect(failures[0]).toMatch(/the gateway and the backend have no application protocol in common/);
  });

  it.each<[string, Parameters<typeof tlsRules>[0], TlsOptions, RegExp]>([
    ['no version', { sslEnabledProtocols: ['TLSv1.3'] }, { maxVersion: 'TLSv1.2' }, /have no TLS version in common/],
    [
      'no cipher suite',
      { sslCipherSuites: [cipherSuite('TLS_AES_128_GCM_SHA256')!] },
      { ciphers: 'TLS_AES_256_GCM_SHA384', minVersion: 'TLSv1.3' },
      /no cipher suite in common/,
    ],
  ])('%s in common', async (_name, wishes, options, reason) => {
    const { port } = await startTlsBackend(shows(good, options));
    const { request, failures } = await startTowards({ port, tls: tlsWith({ rules: tlsRules(wishes) }) });
    expect((await request()).status).toBe(502);
    expect(failures[0]).toMatch(reason);
  });

  it.each([
    ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'TLSv1.2'],
    ['TLS_AES_256_GCM_SHA384', 'TLSv1.3'],
  ])('%s alone, if nothing else is allowed', async (name, version) => {
    const { port, server } = await startTlsBackend(shows(good));
    const spoken: unknown[] = [];
    server.on('secureConnection', (socket) => spoken.push(socket.getProtocol(), socket.getCipher().standardName));
    const tls = tlsWith({ rules: tlsRules({ sslCipherSuites: [cipherSuite(name)!] }) });
    const { request } = await startTowards({ port, tls });
    expect((await request()).status).toBe(200);
    expect(spoken).toEqual([version, name]);
  });
});

describe('a backend that fails during the handshake', () => {
  async function startRaw(onData: (socket: Socket) => void): Promise<number> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => onData(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return (server.address() as { port: number }).port;
  }

  it.each<[string, (socket: Socket) => void, RegExp]>([
    ['speaks HTTP', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), /does not speak TLS on this port/],
    ['closes', (socket) => socket.end(), /^backend-tls: the connection was closed during the handshake$/],
    ['resets', (socket) => socket.resetAndDestroy(), /^backend-tls: the connection was closed during the handshake$/],
  ])('and %s', async (_name, onData, reason) => {
    const port = await startRaw(onData);
    const { request, failures } = await startTowards({ port });
    expect((await request()).status).toBe(502);
    expect(failures[0]).toMatch(reason);
  });

  it('is not confused with one that refuses the connection', async () => {
    const { request, failures } = await startTowards({ port: 1 });
    expect((await request()).status).toBe(502);
    expect(failures[0]).toMatch(/^backend-connect: /);
  });
});
