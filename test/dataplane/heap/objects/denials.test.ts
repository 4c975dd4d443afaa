import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { type AskOptions, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const store = {
  type: 'Base64EncodedSecretStore',
  config: { secrets: { key: Buffer.alloc(32, 1).toString('base64') } },
};
const resolver = {
  type: 'StatelessAccessTokenResolver',
  config: { issuer: 'me', secretsProvider: store, verificationSecretId: 'key' },
};
const bearer = (value: string): AskOptions => ({ headers: [`Authorization: ${value}`] });

const cases: readonly [reason: string, filter: JsonObject, denied: AskOptions, passing: AskOptions | null][] = [
  [
    'condition',
    { type: 'ConditionEnforcementFilter', config: { condition: "${request.method == 'GET'}" } },
    { method: 'PUT', body: 'x' },
    {},
  ],
  [
    'not-allowed',
    { type: 'AllowOnlyFilter', config: { rules: [{ destination: [{ methods: ['GET'] }] }] } },
    { method: 'PUT', body: 'x' },
    {},
  ],
  [
    'forged-request',
    { type: 'CsrfFilter', config: { cookieName: 'session' } },
    { method: 'POST', body: 'x', headers: ['Cookie: session=abc'] },
    {},
  ],
  [
    'origin',
    { type: 'CorsFilter', config: { policies: [{ acceptedOrigins: ['https://a.test'], acceptedMethods: ['GET'] }] } },
    { headers: ['Origin: https://b.test'] },
    { headers: ['Origin: https://a.test'] },
  ],
  ['no-certificate', { type: 'CertificateThumbprintFilter', config: { certificate: '${null}' } }, {}, null],
  [
    'invalid-jwt',
    {
      type: 'JwtValidationFilter',
      config: { jwt: "${request.headers['X-Jwt'][0]}", verificationSecretId: 'key', secretsProvider: store },
    },
    {},
    null,
  ],
  ['no-https', resourceServer({}), bearer('Bearer x'), null],
  ['no-token', resourceServer({ requireHttps: false }), {}, null],
  [
    'invalid-request',
    resourceServer({ requireHttps: false }),
    { headers: ['Authorization: Bearer a', 'Authorization: Bearer b'] },
    null,
  ],
  ['invalid-token', resourceServer({ requireHttps: false }), bearer('Bearer nonsense'), null],
];

function resourceServer(more: JsonObject): JsonObject {
  return { type: 'OAuth2ResourceServerFilter', config: { accessTokenResolver: resolver, scopes: [], ...more } };
}

describe('gw_denied_total', () => {
  it.each(cases)('has the reason %s', async (reason, filter, denied, passing) => {
    const { ask, counted, seen } = await startFiltered([filter]);
    await ask('/', denied);
    expect(seen).toEqual([]);
    const labels = expect.objectContaining({ reason, route: '', router: '', name: expect.any(String) });
    expect(counted).toEqual([{ metric: 'gw_denied_total', labels }]);
    if (passing === null) return;
    await ask('/', passing);
    expect([seen.length, counted.length]).toEqual([1, 1]);
  });
});
