import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { type FilesFor, ProtectedInstance, resourceServer, route } from '../../support/gateways/protected-instance.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../../support/identity/authorization-server.ts';

const patience = { timeout: 20_000, interval: 50 };

/** Routes that verify each time, and that keep what they have verified. */
function start(
  server: AuthorizationServer,
  leaseExpiry: string,
  env: NodeJS.ProcessEnv = {},
): Promise<ProtectedInstance> {
  const resolver = {
    type: 'StatelessAccessTokenResolver',
    config: { issuer: server.issuer, secretsProvider: 'keys', verificationSecretId: 'any.id' },
  };
  const heap = [{ name: 'keys', type: 'JwkSetSecretStore', config: { jwkUrl: server.endpoints.jwks, leaseExpiry } }];
  const files: FilesFor = (url) => ({
    'config/routes/each.json': route('each', url, [resourceServer(resolver)], heap),
    'config/routes/kept.json': route('kept', url, [resourceServer(resolver, { cache: { enabled: true } })], heap),
  });
  return ProtectedInstance.start(files, env);
}

it('keys are renewed while requests run, and no good token is refused', async () => {
  const server = await startAuthorizationServer();
  const gateway = await start(server, '2 seconds');
  const former = await server.token({ jwt: true });
  let current = former;
  const loads = await Promise.all([
    gateway.load(4, 'each', () => former),
    gateway.load(4, 'each', () => current),
    gateway.load(4, 'kept', () => current),
  ]);
  const untilMore = async (): Promise<void> => {
    const before = loads.map(({ answered }) => answered + 2);
    await vi.waitFor(() => expect(loads.every((load, at) => load.answered > before[at]!)).toBe(true), patience);
  };
  await untilMore();
  await server.rotateKeys();
  current = await server.token({ jwt: true });
  await untilMore();
  const [withFormer, ...withCurrent] = loads;
  expect(await withFormer!.stop()).toEqual([]);

  await server.dropFormerKeys();
  await vi.waitFor(async () => {
    for (let i = 0; i < 8; i++) {
      expect(await gateway.status('/each/1', former)).toBe(401);
      expect(await gateway.status('/kept/1', former)).toBe(401); // what is kept goes with the key
    }
  }, patience);
  for (let i = 0; i < 8; i++) expect(await gateway.status('/each/1', current)).toBe(200);
  for (const load of withCurrent) expect(await load.stop()).toEqual([]);

  // the keys of a server that is gone are good for as long as their lease
  await server.close();
  await vi.waitFor(async () => {
    for (let i = 0; i < 8; i++) expect(await gateway.status('/each/1', current)).toBe(401);
  }, patience);
  await server.reopen();
  await vi.waitFor(async () => {
    for (let i = 0; i < 8; i++) expect(await gateway.status('/each/1', current)).toBe(200);
  }, patience);
  expect(await gateway.leaks()).toEqual([]);
});

const CONNECTIONS = 32;
const TOKENS_OF_EACH = 100;
/** Half of all that a flood sends does not fit into the heap of a unit with so many megabytes. */
const SMALL_HEAP = { GATEWARDEN_NODE_FLAGS: '--max-old-space-size=40 --max-semi-space-size=2' };

/** Sends tokens that nobody has seen, one after the other on each of the connections. @returns how they were answered. */
async function flood({ process: { port } }: ProtectedInstance, good: string): Promise<ReadonlyMap<string, number>> {
  const [header, payload] = good.split('.') as [string, string];
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const statuses = new Map<string, number>();
  const send = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    for (let sent = 0; sent < TOKENS_OF_EACH; sent++) {
      const own = JSON.stringify({ ...claims, jti: randomBytes(8).toString('hex'), padding: 'x'.repeat(16_000) });
      const token = [header, Buffer.from(own).toString('base64url'), randomBytes(256).toString('base64url')].join('.');
      socket.write(`GET /kept/1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      const status = answer.toString('latin1', 0, 12); // refusals are short and come in one piece
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  return statuses;
}

it('a flood of badly signed tokens does not lock out valid ones', async () => {
  const server = await startAuthorizationServer();
  const gateway = await start(server, '5 minutes', SMALL_HEAP);
  const [known, good] = [await server.token({ jwt: true }), await server.token({ jwt: true })];
  const loads = await Promise.all([gateway.load(4, 'kept', () => known), gateway.load(1, 'each', () => good)]);
  const statuses = await flood(gateway, known);
  for (const load of loads) expect(await load.stop()).toEqual([]);
  expect([...statuses]).toEqual([['HTTP/1.1 401', CONNECTIONS * TOKENS_OF_EACH]]);
  const loaded = (): Promise<number> => gateway.sum('gw_cache_loads_seconds_count');
  const sent = CONNECTIONS * TOKENS_OF_EACH;
  await vi.waitFor(async () => expect([sent + 1, sent + 2]).toContain(await loaded()), patience); // the good one by unit
  expect(await gateway.process.figure('gatewarden_unit_restarts_total').catch(() => 0)).toBe(0);
  expect(await gateway.leaks()).toEqual([]);
});
