import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { certifiers, PeerGateway } from '../../support/gateways/peer-gateway.ts';
import { curl } from '../../support/programs/curl.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { HaproxyPeer } from '../../support/programs/haproxy-peer.ts';

const FILE = randomBytes(1 << 20).toString('base64');
const DIGEST = createHash('sha256').update(FILE).digest('hex');

const who = certifiers();
let application: EchoBackend;
let behind: HaproxyPeer;
let gateway: PeerGateway;
let inFront: HaproxyPeer;

beforeAll(async () => {
  await installPrograms(['haproxy', 'curl']);
  application = await EchoBackend.start({ host: '127.0.0.1' }, answer);
  behind = await HaproxyPeer.start(['plain', 'h2c', 'tls'], sectionsBehind(application.url), {
    pem: who.backends.issue({ names: ['localhost'] }).pem,
    clients: who.clients.certificate,
  });
  gateway = await PeerGateway.start(who, {
    words: ['--trusted-proxies', '127.0.0.1/32'],
    routes: {
      plain: { to: `http://127.0.0.1:${behind.port('plain')}` },
      h2c: {
        to: `http://127.0.0.1:${behind.port('h2c')}`,
        config: { protocolVersion: 'HTTP/2', http2PriorKnowledge: true },
      },
      tls: { to: `https://localhost:${behind.port('tls')}` },
      tls1: { to: `https://localhost:${behind.port('tls')}`, config: { protocolVersion: 'HTTP/1.1' } },
    },
    files: {
      upload: FILE,
      'config/routes/client.json': {
        condition: "${request.uri.path == '/client'}",
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: CLIENT } },
      },
    },
  });
  inFront = await HaproxyPeer.start(Object.keys(LEGS), sectionsInFront(gateway), { ca: who.gateway.certificate });
}, INSTALLATION);

afterAll(async () => {
  await inFront?.stop();
  await gateway?.stop();
  await behind?.stop();
  await application?.close();
});

const CLIENT = '${contexts.client.remoteAddress} ${contexts.client.isSecure} ${request.version} ${request.uri.scheme}';

/** Answers with a digest of what it was sent, or with a large file. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const spoken = request.headers['x-spoken'];
  if (request.url?.endsWith('/file')) {
    response.end(FILE);
    return;
  }
  const digest = createHash('sha256');
  request.on('data', (bytes: Buffer) => digest.update(bytes));
  request.on('end', () => response.end(`${spoken} ${request.method} ${request.url} ${digest.digest('hex')}`));
}

const sectionsBehind = (url: string): string => `
frontend behind
  bind 127.0.0.1:$plain
  bind 127.0.0.1:$h2c proto h2
  bind 127.0.0.1:$tls ssl crt $pem alpn h2,http/1.1 ca-file $clients verify required
  http-request set-header x-spoken "%[req.ver] %[ssl_fc_sni] %[ssl_c_s_dn(cn)]"
  default_backend application
backend application
  server one ${new URL(url).host}
`;

/** How HAProxy speaks with the gateway, by its port. */
const LEGS = {
  plain: (to: PeerGateway) => `127.0.0.1:${to.plain}`,
  h2c: (to: PeerGateway) => `127.0.0.1:${to.plain} proto h2`,
  tls: (to: PeerGateway) => `127.0.0.1:${to.tls} ${TLS} alpn http/1.1`,
  h2: (to: PeerGateway) => `127.0.0.1:${to.tls} ${TLS} alpn h2`,
  proxied: (to: PeerGateway) => `127.0.0.1:${to.plain} send-proxy-v2`,
  proxiedh2c: (to: PeerGateway) => `127.0.0.1:${to.plain} proto h2 send-proxy-v2`,
  proxiedtls: (to: PeerGateway) => `127.0.0.1:${to.tls} ${TLS} alpn http/1.1 send-proxy-v2`,
  proxiedh2: (to: PeerGateway) => `127.0.0.1:${to.tls} ${TLS} alpn h2 send-proxy-v2`,
  proxiedv1: (to: PeerGateway) => `127.0.0.1:${to.tls} ${TLS} alpn h2 send-proxy`,
};
type Leg = keyof typeof LEGS;

const TLS = 'ssl verify required ca-file $ca sni str(gateway.test)';

const sectionsInFront = (to: PeerGateway): string =>
  (Object.keys(LEGS) as Leg[])
    .map((leg) => `listen ${leg}\n  bind 127.0.0.1:$${leg}\n  server gateway ${LEGS[leg](to)}\n`)
    .join('');

describe('HAProxy as a backend', () => {
  it.each([
    ['plain', '1.1'],
    ['h2c', '2.0'],
    ['tls', '2.0 localhost the gateway'],
    ['tls1', '1.1 localhost the gateway'],
  ])('is reached by the route %s', async (leg, spoken) => {
    for (const words of [['--http1.1'], ['--http2']]) {
      const base = ['-k', ...words, '-H', 'Expect:'];
      const url = `https://127.0.0.1:${gateway.tls}/${leg}`;
      const [up, down] = await Promise.all([
        curl(...base, '-T', gateway.folder.at('upload'), `${url}/up`),
        curl(...base, `${url}/file`),
      ]);
      expect(up.body).toBe(`${spoken} PUT /${leg}/up ${DIGEST}`);
      expect(down.body === FILE).toBe(true);
    }
  });
});

describe('HAProxy in front', () => {
  it.each([
    ['plain', '127.0.0.1 false HTTP/1.1 http'],
    ['h2c', '127.0.0.1 false HTTP/2 http'],
    ['tls', '127.0.0.1 true HTTP/1.1 https'],
    ['h2', '127.0.0.1 true HTTP/2 https'],
    ['proxied', '127.0.0.7 false HTTP/1.1 http'],
    ['proxiedh2c', '127.0.0.7 false HTTP/2 http'],
    ['proxiedtls', '127.0.0.7 true HTTP/1.1 https'],
    ['proxiedh2', '127.0.0.7 true HTTP/2 https'],
    ['proxiedv1', '127.0.0.7 true HTTP/2 https'],
  ])('speaks %s with the gateway, which sees %s', async (leg, seen) => {
    const url = `http://127.0.0.1:${inFront.port(leg)}`;
    const words = ['--interface', '127.0.0.7', '-H', 'Expect:'];
    const [client, up, down] = await Promise.all([
      curl(...words, `${url}/client`),
      curl(...words, '-T', gateway.folder.at('upload'), `${url}/plain/up`),
      curl(...words, `${url}/h2c/file`),
    ]);
    expect(client.body).toBe(seen);
    expect(up.body).toMatch(new RegExp(`PUT /plain/up ${DIGEST}$`));
    expect(down.body === FILE).toBe(true);
  });
});

it('causes no errors on either side', async () => {
  expect(behind.said + inFront.said).toBe('');
  expect(gateway.warnings()).toEqual([]);
  expect(await gateway.process.figure('gatewarden_requests_aborted_total')).toBe(0);
});
