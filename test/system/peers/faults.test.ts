import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { certifiers, PeerGateway } from '../../support/gateways/peer-gateway.ts';
import type { Certified } from '../../support/identity/certificates.ts';
import { type CurlAnswer, curl } from '../../support/programs/curl.ts';
import { INSTALLATION, installPrograms } from '../../support/programs/debian-program.ts';
import { NginxPeer } from '../../support/programs/nginx-peer.ts';

const who = certifiers();
const stranger = certifiers().backends;
const good = who.backends.issue({ names: ['localhost'] });
const bad = {
  expired: who.backends.issue({ names: ['localhost'], expired: true }),
  early: who.backends.issue({ names: ['localhost'], early: true }),
  misnamed: who.backends.issue({ names: ['elsewhere.test'] }),
  unknown: stranger.issue({ names: ['localhost'] }),
};
type Fault = keyof typeof bad;
const FAULTS = Object.keys(bad) as Fault[];

const servers = new Map<Fault, Http2SecureServer>();
let nginx: NginxPeer;
let gateway: PeerGateway;

beforeAll(async () => {
  await installPrograms(['nginx', 'curl']);
  nginx = await NginxPeer.start({ certified: good, locations: LOCATIONS });
  nginx.write('file', FILE);
  for (const fault of FAULTS) servers.set(fault, await serve(bad[fault]));
  const port = (fault: Fault): number => (servers.get(fault)!.address() as AddressInfo).port;
  const secure = `https://localhost:${nginx.tls}`;
  gateway = await PeerGateway.start(who, {
    routes: {
      ...Object.fromEntries(FAULTS.map((fault) => [fault, { to: `https://localhost:${port(fault)}` }])),
      h2: { to: secure, config: { protocolVersion: 'HTTP/2', stateTrackingEnabled: false } },
      tls1: { to: secure, config: { protocolVersion: 'HTTP/1.1', stateTrackingEnabled: false } },
      h2c: {
        to: `http://127.0.0.1:${nginx.h2c}`,
        config: { protocolVersion: 'HTTP/2', http2PriorKnowledge: true },
      },
      buffered: { to: secure, config: { asyncBehavior: 'non_streaming', stateTrackingEnabled: false } },
      nowhere: { to: 'https://no.such.host.invalid' },
      plaintext: { to: `https://localhost:${nginx.plain}` },
    },
  });
}, INSTALLATION);

afterAll(async () => {
  await gateway?.stop();
  await nginx?.stop();
  for (const server of servers.values()) server.close();
});

const FILE = 'x'.repeat(8 << 20);
const LOCATIONS = `
  location ~ ^/\\w+/slow { limit_rate 300k; limit_rate_after 600k; alias $FOLDER/file; }
  location / { default_type text/plain; return 200 "$server_protocol"; }
`;

async function serve({ chain, key }: Certified): Promise<Http2SecureServer> {
  const server = createSecureServer({ cert: chain, key, allowHTTP1: true }, (_, response) => response.end('hello'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const ask = (path: string, ...words: string[]): Promise<CurlAnswer> =>
  curl(...words, `http://127.0.0.1:${gateway.plain}${path}`);

const refusalOf = ({ body }: CurlAnswer): string => (JSON.parse(body) as { refusal: string }).refusal;

/** What the gateway has logged of a refusal. */
const reasons = (refusal: string): unknown[] =>
  gateway.process.said.filter((line) => line['refusal'] === refusal).map(({ reason }) => reason);

describe('a backend whose certificate is not good', () => {
  it.each([
    ['expired', /it has expired/],
    ['early', /not valid yet/],
    ['misnamed', /not valid for 'localhost': it is for elsewhere\.test/],
    ['unknown', /issuer is not trusted/],
  ] as const)('%s: is not spoken to until it has a good one', async (fault, reason) => {
    const before = await gateway.refusals('backend-tls');
    const answer = await ask(`/${fault}/x`);
    expect([answer.status, refusalOf(answer)]).toEqual([502, 'backend-tls']);
    expect(answer.body).not.toContain('elsewhere');
    await expect.poll(() => gateway.refusals('backend-tls')).toBe(before + 1);
    await vi.waitFor(() => expect(reasons('backend-tls').at(-1)).toMatch(reason), 5000);
    await expect.poll(() => gateway.process.figure('gatewarden_backend_connections_open')).toBe(0);
    servers.get(fault)!.setSecureContext({ cert: good.chain, key: good.key });
    expect((await ask(`/${fault}/x`)).body).toBe('hello');
    servers.get(fault)!.close();
    await stopIdle(fault);
  });

  /** Ends what the gateway has kept, so that the figures of the next case are its own. */
  async function stopIdle(fault: Fault): Promise<void> {
    gateway.folder.remove(`config/routes/${fault}.json`);
    gateway.process.signal('SIGHUP');
    await vi.waitFor(async () => {
      expect(await gateway.process.figure('gatewarden_backend_connections_open')).toBe(0);
    }, 10_000);
  }
});

it.each([
  ['nowhere', 'backend-address', /./],
  ['plaintext', 'backend-tls', /does not speak TLS/],
])('%s: is refused with %s', async (route, refusal, reason) => {
  const before = await gateway.refusals(refusal);
  const answer = await ask(`/${route}/x`);
  expect([answer.status, refusalOf(answer)]).toEqual([502, refusal]);
  await expect.poll(() => gateway.refusals(refusal)).toBe(before + 1);
  await vi.waitFor(() => expect(reasons(refusal).at(-1)).toMatch(reason), 5000);
  expect((await ask('/h2/x')).status).toBe(200);
});

describe('a backend that is killed in the middle of an answer', () => {
  it.each([
    ['h2', ['--http1.1'], [18, 56]],
    ['tls1', ['--http1.1'], [18, 56]],
    ['h2c', ['--http1.1'], [18, 56]],
    ['h2', ['--http2-prior-knowledge'], [92]],
    ['tls1', ['--http2-prior-knowledge'], [92]],
    ['h2c', ['--http2-prior-knowledge'], [92]],
  ] as const)(
    'by the route %s is seen as a cut with %j, and the next request is answered',
    async (route, words, exits) => {
      const aborted = await gateway.process.figure('gatewarden_requests_aborted_total');
      const cut = await gateway.refusals('backend-cut');
      const part = gateway.folder.at('part');
      rmSync(part, { force: true });
      const answering = ask(`/${route}/slow`, ...words, '-o', part);
      await vi.waitFor(() => expect(statSync(part).size).toBeGreaterThan(500_000), 10_000);
      nginx.killWorkers();
      const { exit, status } = await answering;
      expect(exits).toContain(exit);
      expect([status, statSync(part).size < FILE.length]).toEqual([200, true]);
      await expect.poll(() => gateway.process.figure('gatewarden_requests_aborted_total')).toBe(aborted + 1);
      await expect.poll(() => gateway.refusals('backend-cut')).toBe(cut + 1);
      expect((await ask(`/${route}/x`)).status).toBe(200);
    },
  );

  it('is seen as 502 where answers are read as a whole', async () => {
    const cut = await gateway.refusals('backend-cut');
    const answering = ask('/buffered/slow');
    await vi.waitFor(async () => expect(await gateway.process.figure('gw_backend_streams_open')).toBe(1), 10_000);
    nginx.killWorkers();
    const answer = await answering;
    expect([answer.exit, answer.status, refusalOf(answer)]).toEqual([0, 502, 'backend-cut']);
    await expect.poll(() => gateway.refusals('backend-cut')).toBe(cut + 1);
    expect((await ask('/buffered/x')).status).toBe(200);
  });
});

it.each(['h2', 'h2c', 'tls1'])('a session killed while idle loses no response, by the route %s', async (route) => {
  for (let i = 0; i < 3; i++) {
    expect((await ask(`/${route}/x`)).status).toBe(200);
    nginx.killWorkers();
    const { exit, status } = await ask(`/${route}/x`, '-d', 'content');
    expect([exit, status]).toEqual([0, 200]);
  }
});
