import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { type FilteredGateway, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const says: JsonValue = {
  type: 'StaticResponseHandler',
  config: { status: 200, entity: '${contexts.oauth2.accessToken.info.sub}' },
};

/** A gateway whose access tokens a script resolves. */
const resolving = (source: string, more: JsonObject = {}, document: JsonObject = {}): Promise<FilteredGateway> =>
  startFiltered(
    [
      {
        type: 'OAuth2ResourceServerFilter',
        config: {
          requireHttps: false,
          scopes: ['read'],
          accessTokenResolver: {
            type: 'ScriptableAccessTokenResolver',
            config: { type: 'application/javascript', source, ...more },
          },
        },
      },
    ],
    says,
    { document },
  );

const token = { headers: ['Authorization: Bearer t-1'] };
const VALID = "return { token, info: { sub: 'u-' + token }, scopes: ['read'] }";

it('resolves access tokens', async () => {
  const { ask } = await resolving(VALID);
  expect(await ask('/', token)).toMatchObject({ status: 200, body: 'u-t-1' });
});

it('has the token where a property has the same name', async () => {
  const { ask } = await resolving(VALID, {}, { properties: { token: 'of the document' } });
  expect(await ask('/', token)).toMatchObject({ status: 200, body: 'u-t-1' });
});

it.each([
  ['null', 'return null'],
  ['nothing', ''],
  ['an exception', "throw new Error('no')"],
  ['a text', 'return token'],
  ['no info', "return { token, scopes: ['read'] }"],
  ['a number as token', "return { token: 1, info: {}, scopes: ['read'] }"],
  ['a number as scope', 'return { token, info: {}, scopes: [1] }'],
  ['a response', 'return new Response(200)'],
  ['a loop without end', 'for (;;);'],
])('rejects the token after %s', async (_title, source) => {
  const { ask, seen } = await resolving(source);
  const answer = await ask('/', token);
  expect(answer.status).toBe(401);
  expect(answer.values('www-authenticate')[0]).toContain('error="invalid_token"');
  expect(seen).toEqual([]);
});

it('has no request in a token resolver', async () => {
  const { ask } = await resolving(`if (typeof request !== 'undefined') throw new Error('there is one'); ${VALID}`);
  expect((await ask('/', token)).status).toBe(200);
});

it('asks a token service', async () => {
  const { ask, seen } = await resolving(
    "const r = await http.send('http://app.test/?entity=ada', { headers: { 'X-Token': token } }); " +
      "return { token, info: { sub: await r.entity.text() }, scopes: new Set(['read']).values().toArray() }",
  );
  expect(await ask('/', token)).toMatchObject({ status: 200, body: 'ada' });
  expect(seen[0]!.headers).toContainEqual(['x-token', 't-1']);
});

it.each([
  ['is not a number', 'NaN', 401],
  ['comes from a claim that is missing', 'undefined * 1000', 401],
  ['has passed', 'Date.now() - 1', 401],
  ['is to come', 'Date.now() + 3600000', 200],
  ['is never', 'Infinity', 200],
])('takes a token whose end %s as it should', async (_title, expiresAt, status) => {
  const { ask } = await resolving(`return { token, info: { sub: 'u' }, scopes: ['read'], expiresAt: ${expiresAt} }`);
  expect((await ask('/', token)).status).toBe(status);
});

it('logs an exception without the token', async () => {
  const { ask, logged } = await resolving('throw new Error(`no such token: ${token}`)');
  expect((await ask('/', token)).status).toBe(401);
  expect(logged.map(({ msg }) => msg)).toContain('script failed: Error: no such token: …');
  expect(JSON.stringify(logged)).not.toContain('t-1');
});
