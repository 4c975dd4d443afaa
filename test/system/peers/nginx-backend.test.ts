import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certifiers, PeerGateway } from '../../support/gateways/peer-gateway.ts';
import { curl } from '../../support/programs/curl.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { NginxPeer } from '../../support/programs/nginx-peer.ts';

const LOCATIONS = `
  location ~ ^/\\w+/hello { default_type text/plain; return 200 "$server_protocol $http_host $request_uri"; }
  location ~ ^/\\w+/whoami { default_type text/plain; return 200 "$ssl_client_s_dn $ssl_server_name"; }
  location ~ ^/\\w+/file { default_type application/octet-stream; alias $FOLDER/file; }
  location ~ ^/\\w+/slow { limit_rate 200k; alias $FOLDER/file; }
  location ~ ^/\\w+/upload { rewrite ^ /inner/length break; proxy_pass http://127.0.0.1:$PLAIN; }
  location = /inner/length { default_type text/plain; return 200 "$content_length"; }
  location ~ ^/\\w+/gone { return 204; }
  location ~ ^/\\w+/moved { return 302 /elsewhere; }
`;
const FILE = randomBytes(3 << 20).toString('base64');
const DIGEST = createHash('sha256').update(FILE).digest('hex');

const who = certifiers();
let nginx: NginxPeer;
let gateway: PeerGateway;

beforeAll(async () => {
  await installPrograms(['nginx', 'curl']);
  const certified = who.backends.issue({ names: ['localhost'] });
  nginx = await NginxPeer.start({ certified, locations: LOCATIONS, clients: who.clients.certificate });
  nginx.write('file', FILE);
  const http2 = { protocolVersion: 'HTTP/2' };
  gateway = await PeerGateway.start(who, {
    routes: {
      plain: { to: `http://127.0.0.1:${nginx.plain}` },
      upgrade: { to: `http://127.0.0.1:${nginx.plain}`, config: http2 },
      h2c: { to: `http://127.0.0.1:${nginx.h2c}`, config: { ...http2, http2PriorKnowledge: true } },
      tls: { to: `https://localhost:${nginx.tls}`, config: { ...http2, stateTrackingEnabled: false } },
      either: { to: `https://localhost:${nginx.tls}`, config: { stateTrackingEnabled: false } },
      tls1: { to: `https://localhost:${nginx.tls}`, config: { protocolVersion: 'HTTP/1.1' } },
      buffered: {
        to: `https://localhost:${nginx.tls}`,
        config: { ...http2, asyncBehavior: 'non_streaming', stateTrackingEnabled: false },
      },
    },
  });
  gateway.folder.write('upload', FILE);
}, INSTALLATION);

afterAll(async () => {
  await gateway?.stop();
  await nginx?.stop();
});

/** What nginx is spoken to in, by the route that leads there. */
const LEGS = [
  ['plain', 'HTTP/1.1'],
  ['upgrade', 'HTTP/1.1'],
  ['h2c', 'HTTP/2.0'],
  ['tls', 'HTTP/2.0'],
  ['either', 'HTTP/2.0'],
  ['tls1', 'HTTP/1.1'],
  ['buffered', 'HTTP/2.0'],
] as const;

/** How curl speaks with the gateway. */
const FRONTS = [
  ['HTTP/1.1', () => [`http://127.0.0.1:${gateway.plain}`], '1.1'],
  ['h2c', () => ['--http2-prior-knowledge', `http://127.0.0.1:${gateway.plain}`], '2'],
  ['TLS, HTTP/1.1', () => ['-k', '--http1.1', `https://127.0.0.1:${gateway.tls}`], '1.1'],
  ['TLS, HTTP/2', () => ['-k', '--http2', `https://127.0.0.1:${gateway.tls}`], '2'],
] as const;

describe.each(FRONTS)('curl over %s', (_, front, version) => {
  const words = (path: string): string[] => {
    const [base, ...rest] = front().toReversed();
    return [...rest.toReversed(), `${base}${path}`];
  };

  it.each(LEGS)('reaches nginx by the route %s, which is spoken to in %s', async (leg, spoken) => {
    const answer = await curl('-H', 'Host: shop.test', ...words(`/${leg}/hello?a=%20b`));
    expect(answer).toMatchObject({ exit: 0, status: 200, version });
    expect(answer.body).toBe(`${spoken} shop.test /${leg}/hello?a=%20b`);
    const [gone, moved, head] = await Promise.all([
      curl(...words(`/${leg}/gone`)),
      curl(...words(`/${leg}/moved`)),
      curl('-I', ...words(`/${leg}/file`)),
    ]);
    expect([gone.status, moved.status, head.status]).toEqual([204, 302, 200]);
    expect(moved.headers['location']?.[0]).toMatch(/\/elsewhere$/);
    expect(head.headers['content-length']).toEqual([`${FILE.length}`]);
  });

  it.each(LEGS)('passes large content both ways by the route %s', async (leg) => {
    const upload = gateway.folder.at('upload');
    const [down, up, chunked] = await Promise.all([
      curl(...words(`/${leg}/file`)),
      curl('-H', 'Expect:', '--data-binary', `@${upload}`, ...words(`/${leg}/upload`)),
      curl('-H', 'Expect:', '-T', upload, '-H', 'Transfer-Encoding: chunked', ...words(`/${leg}/upload`)),
    ]);
    expect([down.exit, createHash('sha256').update(down.body).digest('hex')]).toEqual([0, DIGEST]);
    expect([up.exit, up.body]).toEqual([0, `${FILE.length}`]);
    expect([chunked.exit, chunked.body]).toEqual([0, `${FILE.length}`]);
  });
});

it('sends nginx a client certificate and the server name', async () => {
  for (const leg of ['tls', 'tls1']) {
    const { body } = await curl(`http://127.0.0.1:${gateway.plain}/${leg}/whoami`);
    expect(body).toBe('CN=the gateway localhost');
  }
});

it('has many requests share one HTTP/2 connection', async () => {
  const before = await gateway.process.figure('gatewarden_backend_connects_total');
  const urls = Array.from({ length: 60 }, (_, i) => `http://127.0.0.1:${gateway.plain}/h2c/hello?${i}`);
  const { body } = await curl('--parallel', '--parallel-max', '30', ...urls);
  expect(body.match(/HTTP\/2\.0/g)).toHaveLength(60);
  expect((await gateway.process.figure('gatewarden_backend_connects_total')) - before).toBeLessThanOrEqual(2);
});

it('causes no errors on either side', async () => {
  expect(nginx.said).toBe('');
  expect(gateway.warnings()).toEqual([]);
  expect(await gateway.process.figure('gatewarden_requests_aborted_total')).toBe(0);
});
