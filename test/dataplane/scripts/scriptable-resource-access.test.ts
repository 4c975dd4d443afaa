import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { type FilteredGateway, startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { startTokenEndpoint } from '../../support/identity/token-endpoint.ts';

const groovy = (type: string, source: JsonValue, more: JsonObject = {}): JsonObject => ({
  type,
  config: { type: 'application/x-groovy', source, ...more },
});

/** Tokens are the scopes that they have, separated by dots. */
const byName = groovy('ScriptableAccessTokenResolver', [
  'import org.forgerock.http.oauth2.AccessTokenInfo',
  'import org.forgerock.json.JsonValue',
  "new AccessTokenInfo(new JsonValue([sub: 'u']), token, token.split('[.]') as Set, Long.MAX_VALUE)",
]);

const guarded = (source: JsonValue, more: JsonObject = {}): Promise<FilteredGateway> =>
  startFiltered([
    {
      type: 'OAuth2ResourceServerFilter',
      config: {
        requireHttps: false,
        accessTokenResolver: byName,
        scopes: groovy('ScriptableResourceAccess', source, more),
      },
    },
  ]);

const as = (token: string): { headers: string[] } => ({ headers: [`Authorization: Bearer ${token}`] });

it('requires the scopes that the script returns for the request', async () => {
  const { ask, seen } = await guarded(
    "(request.method == 'GET' ? [prefix + 'read'] : [prefix + 'read', prefix + 'write']) as Set",
    { args: { prefix: 'orders-' } },
  );
  expect((await ask('/', as('orders-read'))).status).toBe(200);
  const refused = await ask('/', { method: 'POST', body: 'x', ...as('orders-read') });
  expect(refused.status).toBe(403);
  expect(refused.values('www-authenticate')[0]).toContain('scope="orders-read orders-write"');
  expect((await ask('/', { method: 'POST', body: 'x', ...as('orders-read.orders-write') })).status).toBe(200);
  expect(seen).toHaveLength(2);
});

it.each([
  ['a set of GStrings', 'def verb = "read"; ["${verb}"] as Set'],
  ['a promise of a set', "org.forgerock.util.promise.Promises.newResultPromise(['read'] as Set)"],
  ['an empty set', '[] as Set'],
])('takes %s', async (_title, source) => {
  const { ask } = await guarded(source);
  expect((await ask('/', as('read'))).status).toBe(200);
});

it.each([
  ['null', 'null'],
  ['an exception', "throw new Exception('no')"],
  ['a list', "['read']"],
  ['a set of numbers', '[1] as Set'],
  ['a set with null', '[null] as Set'],
  ['a scope with a space', "['read write'] as Set"],
  ['an empty scope', "[''] as Set"],
  ['a loop without end', 'while (true) {}'],
])('gives 500 for %s', async (_title, source) => {
  const { ask, seen } = await guarded(source);
  expect((await ask('/', as('read'))).status).toBe(500);
  expect(seen).toEqual([]);
});

it('gives the scopes of a token exchange', async () => {
  const issued = { access_token: 'inner', token_type: 'Bearer', issued_token_type: 'urn:x', expires_in: 60 };
  const endpoint = await startTokenEndpoint(() => issued);
  const { ask } = await startFiltered([
    {
      type: 'OAuth2TokenExchangeFilter',
      config: {
        endpoint: endpoint.url,
        subjectToken: 'outer',
        endpointHandler: 'ForgeRockClientHandler',
        scopes: groovy('ScriptableResourceAccess', '[request.uri.path.substring(1)] as Set'),
      },
    },
  ]);
  expect((await ask('/orders')).status).toBe(200);
  expect(endpoint.requests.map(({ form }) => form.get('scope'))).toEqual(['orders']);
});
