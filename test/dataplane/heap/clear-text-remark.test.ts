import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { buildObjects } from '../../support/gateways/built-object.ts';
import { inlineSecrets } from '../../support/identity/inline-secrets.ts';

const agent = { username: 'gateway', passwordSecretId: 'a' };

/** Objects whose word is believed, by the field with their address. */
const TRUSTED: readonly [type: string, field: string, config: JsonObject][] = [
  ['JwkSetSecretStore', 'jwkUrl', {}],
  ['TokenIntrospectionAccessTokenResolver', 'endpoint', {}],
  ['AmService', 'url', { agent, secretsProvider: inlineSecrets({ a: 'b' }) }],
];

describe.each(TRUSTED)('%s', (type, field, config) => {
  it.each([
    ['http://as.test/x', 1],
    ['http://127.0.0.1.as.test/x', 1],
    ['http://localhost.as.test/x', 1],
    ['http://10.0.0.1/x', 1],
    ['https://as.test/x', 0],
    ['http://localhost:8080/x', 0],
    ['http://127.0.0.1/x', 0],
    ['http://[::1]/x', 0],
  ])('warns that %s is unencrypted: %i', (url, count) => {
    const { problems } = buildObjects([{ name: 'it', type, config: { ...config, [field]: url } }]);
    const found = problems.filter(({ code, path }) => code === 'insecure' && path.at(-1) === field);
    expect(found.map(({ severity }) => severity)).toEqual(Array.from({ length: count }, () => 'warning'));
  });
});
