import { expect, it, vi } from 'vitest';
import type { ProtectedInstance } from '../../support/gateways/protected-instance.ts';
import { startAuthorizationServer } from '../../support/identity/authorization-server.ts';
import {
  introspections,
  startIntrospecting,
  untilKept,
  withBasic,
} from '../../support/identity/introspecting-instance.ts';

const patience = { timeout: 20_000, interval: 50 };

it('cached tokens are served while the server is down, and all tokens when it is back', async () => {
  const server = await startAuthorizationServer();
  const gateway = await startIntrospecting(server, withBasic);
  const [known, unknown] = [await server.token(), await server.token()];
  await untilKept(gateway, server, known);
  const load = await gateway.load(8, 'kept', () => known);

  await server.close();
  for (let i = 0; i < 6; i++) {
    expect(await gateway.status('/kept/1', known)).toBe(200);
    const refused = await gateway.ask('/kept/1', unknown);
    expect([refused.status, refused.body]).toEqual([401, '']);
    expect(await gateway.status('/each/1', known)).toBe(401);
  }
  await server.reopen();
  await untilAllServe(gateway, '/kept/1', unknown);
  await untilAllServe(gateway, '/each/1', unknown);

  const answered = load.answered;
  await vi.waitFor(() => expect(load.answered).toBeGreaterThan(answered), patience);
  expect(await load.stop()).toEqual([]);
  const warnings = gateway.process.said.filter(({ level }) => level === 40);
  expect(warnings.length).toBeGreaterThan(0);
  expect(await gateway.leaks()).toEqual([]);
});

it('a token is cached at most until it expires, and the cache counts', async () => {
  const server = await startAuthorizationServer({ lifetime: 4 });
  const gateway = await startIntrospecting(server, withBasic);
  const token = await server.token();
  let asked = 0;
  const status = (): Promise<number> => {
    asked++;
    return gateway.status('/kept/1', token);
  };
  expect(await status()).toBe(200);
  await vi.waitFor(async () => expect(await status()).toBe(401), patience);
  for (let i = 0; i < 6; i++) expect(await status()).toBe(401);

  // units tell of their figures now and then
  const gets = (result: string): Promise<number> => gateway.sum('gw_cache_gets_total', label('result', result));
  await vi.waitFor(async () => expect((await gets('hit')) + (await gets('miss'))).toBe(asked), patience);
  expect(await gets('miss')).toBe(introspections(server));
  expect(await gets('hit')).toBeGreaterThan(0);
  const ofRoute = label('route', 'kept');
  expect(await gateway.sum('gw_cache_loads_seconds_count', ofRoute)).toBe(introspections(server));
  expect(await gateway.sum('gw_cache_gets_total', ofRoute)).toBe(asked);
  const expired = await gateway.sum('gw_cache_evictions_count', label('cause', 'expired'));
  expect([1, 2]).toContain(expired);
  expect(await gateway.leaks()).toEqual([]);
});

function label(name: string, value: string): RegExp {
  return new RegExp(`\\b${name}="${value}"`);
}

/** Several answers in a row, so that no unit is left that still refuses. */
async function untilAllServe(gateway: ProtectedInstance, path: string, token: string): Promise<void> {
  await vi.waitFor(async () => {
    for (let i = 0; i < 8; i++) expect(await gateway.status(path, token)).toBe(200);
  }, patience);
}
