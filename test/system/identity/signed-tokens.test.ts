import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { type AuthorizationServer, startAuthorizationServer } from '../../support/authorization-server.ts';
import { ProtectedInstance, resourceServer, route } from '../../support/protected-instance.ts';
import { RawClient } from '../../support/raw-client.ts';

const patience = { timeout: 20_000, interval: 50 };

/** Routes that verify each time, and that keep what they have verified. */
function start(server: AuthorizationServer, leaseExpiry: string): Promise<ProtectedInstance> {
  const resolver = {
    type: 'StatelessAccessTokenResolver',
    config: { issuer: server.issuer, secretsProvider: 'keys', verificationSecretId: 'any.id' },
  };
  const heap = [{ name: 'keys', type: 'JwkSetSecretStore', config: { jwkUrl: server.endpoints.jwks, leaseExpiry } }];
  return ProtectedInstance.start((url) => ({
    'config/routes/each.json': route('each', url, [resourceServer(resolver)], heap),
    'config/routes/kept.json': route('kept', url, [resourceServer(resolver, { cache: { enabled: true } })], heap),
  }));
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
    for (let i = 0; i < 8; i++) expect(await gateway.status('/each/1', former)).toBe(401);
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
const TOKENS_OF_EACH = 60;

/** Sends tokens that nobody has seen, one after the other on each of the connections. @returns the statuses. */
async function flood(gateway: ProtectedInstance, good: string): Promise<readonly number[]> {
  const [header, payload] = good.split('.') as [string, string];
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
  const statuses: number[] = [];
  const send = async (): Promise<void> => {
    const client = await RawClient.connect(gateway.process.port);
    for (let sent = 1; sent <= TOKENS_OF_EACH; sent++) {
      const own = JSON.stringify({ ...claims, jti: randomBytes(8).toString('hex'), padding: 'x'.repeat(4000) });
      const token = [header, Buffer.from(own).toString('base64url'), randomBytes(256).toString('base64url')].join('.');
      if (sent === 1) gateway.hide(token);
      client.send(`GET /kept/1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      const text = await client.until((all) => (all.match(/\r\n\r\n/g) ?? []).length >= sent);
      statuses.push(Number(/.*HTTP\/1\.1 (\d+)/s.exec(text)?.[1]));
    }
    client.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  return statuses;
}

function residentBytes({ process: { pid } }: ProtectedInstance): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

it('a flood of tokens that are badly signed keeps nobody out who has a good one', async () => {
  const server = await startAuthorizationServer();
  const gateway = await start(server, '5 minutes');
  const [known, good] = [await server.token({ jwt: true }), await server.token({ jwt: true })];
  const loads = await Promise.all([gateway.load(8, 'kept', () => known), gateway.load(2, 'each', () => good)]);
  const seen = new Set<number>();
  const resident: number[] = [];
  for (let round = 0; round < 4; round++) {
    for (const status of await flood(gateway, known)) seen.add(status);
    resident.push(residentBytes(gateway));
  }
  for (const load of loads) expect(await load.stop()).toEqual([]);
  expect([...seen]).toEqual([401]);
  console.log(resident);
  const sent = CONNECTIONS * TOKENS_OF_EACH;
  await vi.waitFor(
    async () => expect(await gateway.sum('gw_cache_loads_seconds_count')).toBeGreaterThanOrEqual(4 * sent),
    patience,
  );
  expect(gateway.process.said.filter(({ msg }) => /restart|died|ended/.test(msg))).toEqual([]);
  expect(await gateway.leaks()).toEqual([]);
});
