import { expect, it, vi } from 'vitest';
import { ProtectedInstance, resourceServer, route, type Told } from '../../support/gateways/protected-instance.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../../support/identity/authorization-server.ts';

const patience = { timeout: 20_000, interval: 50 };
const RATE = { numberOfRequests: 20, duration: '10 hours' };
/** After so many seconds there is one more. */
const SECONDS_FOR_ONE = (10 * 3600) / 20;

/** Throttles by the client that a token is of; `edit` makes it another route. */
function throttled(server: AuthorizationServer, url: string, edit: string): object {
  const secretsProvider = { type: 'JwkSetSecretStore', config: { jwkUrl: server.endpoints.jwks } };
  const resolver = {
    type: 'StatelessAccessTokenResolver',
    config: { issuer: server.issuer, secretsProvider, verificationSecretId: 'any.id' },
  };
  const throttling = { requestGroupingPolicy: '${contexts.oauth2.accessToken.info.client_id}', rate: RATE };
  return route('api', url, [
    { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Edit': [edit] } } },
    resourceServer(resolver, { cache: { enabled: true } }),
    { name: 'throttling', type: 'ThrottlingFilter', config: throttling },
  ]);
}

it('a client has one rate across tokens, units and versions of the route', async () => {
  const server = await startAuthorizationServer();
  const gateway = await ProtectedInstance.start((url) => ({
    'config/routes/api.json': throttled(server, url, 'first'),
  }));
  const tokens = await Promise.all(Array.from({ length: 4 }, () => server.token({ jwt: true })));
  let refusals = 0;
  const askAll = async (count: number): Promise<readonly Told[]> => {
    const ask = async (_: unknown, at: number): Promise<Told> => {
      const told = await gateway.ask('/api/1', tokens[at % tokens.length]!);
      if (told.status === 429) refusals++;
      return told;
    };
    return Promise.all(Array.from({ length: count }, ask));
  };

  const told = await askAll(50);
  const refused = told.filter(({ status }) => status === 429);
  expect([told.filter(({ status }) => status === 200).length, refused.length]).toEqual([20, 30]);
  expect(gateway.backend.requests).toHaveLength(20);
  for (const { headers } of refused) {
    const seconds = Number(headers.get('retry-after'));
    expect(Number.isInteger(seconds)).toBe(true);
    expect(seconds).toBeGreaterThan(SECONDS_FOR_ONE - 120);
    expect(seconds).toBeLessThanOrEqual(SECONDS_FOR_ONE);
  }
  expect(await gateway.status('/api/1', 'a-token-of-nobody')).toBe(401);

  gateway.folder.replace('config/routes/api.json', throttled(server, gateway.backend.url, 'second'));
  await vi.waitFor(async () => {
    for (const { headers } of await askAll(8)) expect(headers.get('x-edit')).toBe('second');
  }, patience);
  expect((await askAll(20)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 429));
  expect(gateway.backend.requests).toHaveLength(20);

  await vi.waitFor(async () => expect(await gateway.sum('gw_throttled_total')).toBe(refusals), patience);
  // the route as it was leaves when its last request has
  await vi.waitFor(async () => expect(await gateway.sum('gw_throttling_partitions')).toBe(1), patience);
  expect(await gateway.leaks()).toEqual([]);
});
