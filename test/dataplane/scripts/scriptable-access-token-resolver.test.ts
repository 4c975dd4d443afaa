import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { type FilteredGateway, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const IMPORTS = ['import org.forgerock.http.oauth2.AccessTokenInfo', 'import org.forgerock.json.JsonValue'];

const resolver = (source: readonly string[], more: JsonObject = {}): JsonObject => ({
  type: 'ScriptableAccessTokenResolver',
  config: { type: 'application/x-groovy', source: [...IMPORTS, ...source], ...more },
});

const says: JsonValue = {
  type: 'StaticResponseHandler',
  config: {
    status: 200,
    entity:
      '${contexts.oauth2.accessToken.token} ${contexts.oauth2.accessToken.info.sub} ${contexts.oauth2.accessToken.info.n}',
  },
};

const guarded = (accessTokenResolver: JsonValue, more: JsonObject = {}): Promise<FilteredGateway> =>
  startFiltered(
    [
      {
        type: 'OAuth2ResourceServerFilter',
        config: { requireHttps: false, accessTokenResolver, scopes: ['read'], ...more },
      },
    ],
    says,
  );

const as = (token: string): { headers: string[] } => ({ headers: [`Authorization: Bearer ${token}`] });

const valid = "new AccessTokenInfo(new JsonValue([sub: 'u-' + token, n: 7]), token, ['read'] as Set, Long.MAX_VALUE)";

it.each([
  ['an AccessTokenInfo', valid],
  ['a promise of one', `org.forgerock.util.promise.Promises.newResultPromise(${valid})`],
  [
    'one with the JSON functions',
    "new AccessTokenInfo(json(object(field('sub', 'u-' + token), field('n', 7))), token, ['read'] as Set, Long.MAX_VALUE)",
  ],
])('accepts a token with %s', async (_title, source) => {
  const { ask } = await guarded(resolver(['import static org.forgerock.json.JsonValue.*', source]));
  expect(await ask('/', as('t1'))).toMatchObject({ status: 200, body: 't1 u-t1 7' });
});

it('has the contexts of the request, but no request', async () => {
  const { ask } = await guarded(
    resolver([
      "def sub = contexts.client.remoteAddress + (binding.hasVariable('request') ? ' request' : '')",
      "new AccessTokenInfo(new JsonValue([sub: sub, n: 1]), token, ['read'] as Set, Long.MAX_VALUE)",
    ]),
  );
  expect(await ask('/', as('t1'))).toMatchObject({ status: 200, body: 't1 127.0.0.1 1' });
});

it('asks a service with http', async () => {
  const { ask, seen } = await guarded(
    resolver(
      [
        'def asked = new Request().setMethod("GET").setUri(service + "?entity=ok&h.x-scopes=read,write")',
        "asked.headers['X-Token'] = token",
        'http.send(asked).then { response ->',
        "  def scopes = response.headers['x-scopes'].values.collectMany { it.split(',') as List } as Set",
        '  new AccessTokenInfo(new JsonValue([sub: response.entity.string, n: 2]), token, scopes, Long.MAX_VALUE)',
        '}',
      ],
      { args: { service: 'http://app.test/check' } },
    ),
  );
  expect(await ask('/', as('t1'))).toMatchObject({ status: 200, body: 't1 ok 2' });
  expect(seen[0]!.headers).toContainEqual(['x-token', 't1']);
});

it.each([
  ['null', 'null'],
  ['an exception', "throw new org.forgerock.http.oauth2.AccessTokenException('revoked')"],
  ['another result', "'yes'"],
  ['info that is no object', "new AccessTokenInfo(new JsonValue([1]), token, ['read'] as Set, Long.MAX_VALUE)"],
  [
    'an expired token',
    "new AccessTokenInfo(new JsonValue([:]), token, ['read'] as Set, System.currentTimeMillis() - 1)",
  ],
  ['a loop without end', 'while (true) {}'],
])('gives 401 with invalid_token for %s', async (_title, source) => {
  const { ask } = await guarded(resolver([source]));
  const answer = await ask('/', as('t1'));
  expect(answer.status).toBe(401);
  expect(answer.values('www-authenticate')[0]).toContain('error="invalid_token"');
});

it.each([
  ['an exception', 'throw new IllegalStateException("no such token: $token")', 'no such token: …'],
  ['an assertion', "assert token == 'other'", "token == 'other'"],
  ['a conversion', 'token as int', '…'],
  ['a promise', 'org.forgerock.util.promise.Promises.newExceptionPromise(new Exception(token))', 'Exception: …'],
])('logs %s without the token', async (_title, source, shown) => {
  const { ask, logged } = await guarded(resolver([source]));
  expect((await ask('/', as('s3cret-t0ken'))).status).toBe(401);
  const failed = logged.filter(({ msg }) => String(msg).startsWith('script failed: '));
  expect(failed.map(({ msg }) => msg)).toEqual([expect.stringContaining(shown)]);
  expect(JSON.stringify(logged)).not.toContain('s3cret-t0ken');
});

it('gives 403 for a missing scope', async () => {
  const { ask } = await guarded(resolver([valid]), { scopes: ['write'] });
  expect((await ask('/', as('t1'))).status).toBe(403);
});

it('runs once for a token that the filter keeps', async () => {
  const source = [
    'globals.runs = (globals.runs ?: 0) + 1',
    "new AccessTokenInfo(new JsonValue([sub: 'u', n: globals.runs]), token, ['read'] as Set, System.currentTimeMillis() + 3600000)",
  ];
  const { ask } = await guarded(resolver(source), { cache: { enabled: true } });
  expect(await ask('/', as('t1'))).toMatchObject({ body: 't1 u 1' });
  expect(await ask('/', as('t1'))).toMatchObject({ body: 't1 u 1' });
  expect(await ask('/', as('t2'))).toMatchObject({ body: 't2 u 2' });
});
