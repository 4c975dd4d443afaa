import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { replaceSecrets } from '../../../contract/hiding/secret-fields.ts';

const hidden = (document: JsonObject): JsonObject => replaceSecrets(document, () => 'HIDDEN');

describe('secrets of a document', () => {
  it.each<[what: string, document: JsonObject]>([
    ['a password', { password: 's3' }],
    ['a password that is a number', { password: 1234 }],
    ['a password with an expression in it', { password: 'x-${env}' }],
    ['a text in an expression', { password: "${'s3'}" }],
    ['a token', { authzToken: 's3' }],
    ['secrets of a store', { type: 'Base64EncodedSecretStore', config: { secrets: { a: 's3', b: 's3' } } }],
    ['a property of JNDI', { 'java.naming.security.credentials': 's3' }],
    ['a client secret', { clientSecret: 's3' }],
    ['an authorization header', { headers: { Authorization: ['Basic s3'] } }],
    ['a cookie header', { add: { Cookie: ['a=s3'] } }],
    ['a field of a form', { form: { pwd: ['s3'], pass: ['s3', 's3'] } }],
    ['a secret where an id belongs', { storePasswordSecretId: 's3 with blanks' }],
    ['a URL with a password', { jdbcUrl: 'jdbc:postgresql://a:s3@db/x' }],
    ['a URL with a token', { uri: 'https://a/?access_token=s3' }],
    ['a list of secrets', { tokens: [], token: ['s3', ['s3']] }],
  ])('are hidden: %s', (_, document) => {
    const shown = JSON.stringify(hidden(document));
    expect(shown).toContain('HIDDEN');
    expect(shown).not.toContain('s3');
  });

  it.each<[what: string, document: JsonObject]>([
    ['ids of secrets', { passwordSecretId: 'db.password', secretId: 'a', storePassword: 'keystore.pass' }],
    ['expressions', { password: "${attributes.credentials['password']}", token: '&{api.token}', ssoToken: '${a.b}' }],
    ['flags', { exposePrivateSecrets: false, allowCredentials: true }],
    ['stores', { secrets: { stores: [{ type: 'FileSystemSecretStore', config: { directory: 'x' } }] } }],
    ['objects for cookies', { cookie: { name: 'a', domain: 'b' }, cookies: ['a'] }],
    ['empty and missing values', { password: '', token: null }],
    ['other fields', { name: 'a', heap: [{ type: 'X', config: { uri: 'https://a/?page=1', key: 'b' } }] }],
  ])('do not include %s', (_, document) => {
    expect(hidden(document)).toEqual(document);
  });
});
