import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { pathText } from '../../../contract/problem.ts';
import { checkConfigured, startConfigured } from '../../support/gateways/configured-gateway.ts';
import { send } from '../../support/gateways/served.ts';
import { secretFolder } from '../../support/identity/secret-folder.ts';

/** A store with one symmetric key under the id `key`, named as given. */
function store(kid: string, more: JsonObject = {}): JsonObject {
  const jwk = { kty: 'oct', k: Buffer.alloc(32, kid).toString('base64url'), kid };
  const config = { directory: secretFolder({ key: JSON.stringify(jwk) }), format: { type: 'JwkPropertyFormat' } };
  return { type: 'FileSystemSecretStore', config, ...more };
}

/** Shows which keys an object finds that does not say where its secrets are. */
const show: JsonObject = {
  type: 'JwkSetHandler',
  config: { purposes: [{ secretId: 'key', keyUsage: 'VERIFY' }], exposePrivateSecrets: true },
};

async function shownBy(document: JsonObject, routes: Record<string, JsonObject> = {}): Promise<string[]> {
  const gateway = await startConfigured(document, { routes });
  onTestFinished(() => gateway.close());
  const { status, body } = await send(gateway, 'GET /');
  if (status !== 200) throw new Error(`status ${status}: ${JSON.stringify(gateway.logged)}`);
  return JSON.parse(body.toString()).keys.map(({ kid }: { kid: string }) => kid);
}

function problems(document: JsonObject): string[] {
  return checkConfigured(document)
    .filter(({ code }) => code !== 'insecure')
    .map(({ severity, code, path, message }) => `${severity} ${code} ${pathText(path)}: ${message}`);
}

const DEPRECATED =
  "warning deprecated-field secrets: is deprecated: use a SecretsProvider, to which 'secretsProvider' of each object refers";

describe('the field secrets of a document', () => {
  it('provides stores for objects without a secretsProvider', async () => {
    expect(await shownBy({ secrets: { stores: [store('a'), store('b')] }, handler: show })).toEqual(['a', 'b']);
  });

  it('can refer to stores of the heap', async () => {
    const heap = [store('a', { name: 'one' }), { name: 'main', ...show }];
    expect(await shownBy({ heap, secrets: { stores: ['one'] }, handler: 'main' })).toEqual(['a']);
  });

  it('searches the stores of a route before those of config.json', async () => {
    const base = { secrets: { stores: [store('base')] }, handler: { type: 'Router', name: '_router' } };
    expect(await shownBy(base, { r: { secrets: { stores: [store('route')] }, handler: show } })).toEqual([
      'route',
      'base',
    ]);
    expect(await shownBy(base, { r: { handler: show } })).toEqual(['base']);
  });

  it('is not used by objects with a secretsProvider', async () => {
    const handler = { ...show, config: { ...(show['config'] as JsonObject), secretsProvider: store('own') } };
    expect(await shownBy({ secrets: { stores: [store('a')] }, handler })).toEqual(['own']);
  });

  it('exposes its stores by name, here and in routes', async () => {
    const named = (secretsProvider: JsonValue): JsonObject => ({
      ...show,
      config: { ...(show['config'] as JsonObject), secretsProvider },
    });
    const stores = [store('a', { name: 'one' })];
    expect(await shownBy({ secrets: { stores }, handler: named('one') })).toEqual(['a']);
    const base = { secrets: { stores }, handler: { type: 'Router', name: '_router' } };
    expect(await shownBy(base, { r: { handler: named('one') } })).toEqual(['a']);
  });

  it('is deprecated', () => {
    expect(problems({ secrets: { stores: [store('a')] }, handler: show })).toEqual([DEPRECATED]);
    expect(problems({ secrets: {}, handler: 'ReverseProxyHandler' })).toEqual([DEPRECATED]);
  });

  it.each<readonly [string, JsonValue, readonly string[]]>([
    ['no object', 'store', ['error value secrets: must be an object, not a string']],
    ['no array', { stores: 'one' }, ['error value secrets.stores: must be an array, not a string']],
    ['another field', { store: [] }, ["error unknown-field secrets.store: there is no field 'store' here"]],
    [
      'a name of nothing',
      { stores: ['one'] },
      ["error reference secrets.stores[0]: there is no object 'one' in this heap or in those around it"],
    ],
    [
      'what is no store',
      { stores: ['ReverseProxyHandler'] },
      ["error kind secrets.stores[0]: must be a SecretStore, but 'ReverseProxyHandler' is a Handler"],
    ],
    [
      'a name that the heap has',
      { stores: [{ name: 'taken', type: 'SystemAndEnvSecretStore' }] },
      ["error duplicate-name secrets.stores[0].name: there is another object 'taken' in this heap, at heap[0]"],
    ],
  ])('refuses %s', (_, secrets, expected) => {
    const heap = [{ name: 'taken', type: 'Clock' }];
    const found = problems({ heap, secrets, handler: 'ReverseProxyHandler' });
    expect(found.filter((one) => one !== DEPRECATED)).toEqual(expected);
  });

  describe('with a store that needs a password', () => {
    const file = join(import.meta.dirname, '../secrets/keystores/pyca_p12_name-1-pwd.p12');
    const mappings = [{ secretId: 'key', aliases: ['name'] }];
    const keyStore = { type: 'KeyStoreSecretStore', config: { file, storePasswordSecretId: 'pass', mappings } };
    const secrets = { pass: Buffer.from('password').toString('base64') };
    const passwords = { type: 'Base64EncodedSecretStore', config: { secrets } };

    it('reads it from the other stores, here or in an enclosing document', async () => {
      expect(await shownBy({ secrets: { stores: [keyStore, passwords] }, handler: show })).toEqual(['name']);
      const base = { secrets: { stores: [passwords] }, handler: { type: 'Router', name: '_router' } };
      expect(await shownBy(base, { r: { secrets: { stores: [keyStore] }, handler: show } })).toEqual(['name']);
    });

    it('is rejected if no other store can have it', () => {
      expect(problems({ secrets: { stores: [keyStore, keyStore] }, handler: show })).toEqual([
        DEPRECATED,
        ...[0, 1].map(
          (at) =>
            `error missing secrets.stores[${at}].config.secretsProvider: ` +
            'is required: there are no secrets.stores that need no others',
        ),
      ]);
    });
  });

  it('does not replace a required secretsProvider if it has no stores', () => {
    expect(problems({ secrets: { stores: [] }, handler: show })).toEqual([
      DEPRECATED,
      'error missing handler.config.secretsProvider: is required: there are no secrets.stores',
    ]);
    expect(problems({ handler: show })).toEqual(['error missing handler.config.secretsProvider: is required']);
  });

  it('rejects a store that depends on an object which depends on the stores', () => {
    const jwks = { type: 'JwkSetSecretStore', config: { jwkUrl: 'http://127.0.0.1:1/', handler: show } };
    expect(problems({ secrets: { stores: [jwks] }, handler: show })).toEqual([
      DEPRECATED,
      expect.stringMatching(/^error cycle .*the objects reference each other: .*'secrets\.stores'/),
    ]);
  });
});
