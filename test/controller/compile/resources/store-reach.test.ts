import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';

/** A store that shop may use, made with a password from one that it may not. */
function cluster(): CompiledCluster {
  const config = { decryptionSecretId: 'password', secretsProvider: 'passwords' };
  return new CompiledCluster()
    .secret('platform/words', { password: 'sesame' })
    .secret('platform/pems', { 'verify.pem': 'one', 'private.pem': 'two' })
    .store('platform/passwords', {
      type: 'FileSystemSecretStore',
      config: { format: 'PLAIN' },
      secrets: [{ name: 'words' }],
    })
    .store('platform/keys', {
      type: 'FileSystemSecretStore',
      config: { format: { type: 'PemPropertyFormat', config } },
      secrets: [{ name: 'pems' }],
      allowedNamespaces: ['shop'],
    });
}

/** A Route that uses the store that it may use, and another one. */
function using(other: JsonValue, ...heap: JsonObject[]): JsonObject {
  const filters = ['platform/keys', other].map((secretsProvider) => ({
    type: 'JwtBuilderFilter',
    config: { template: { a: 'b' }, secretsProvider, signature: { secretId: 'password', algorithm: 'HS256' } },
  }));
  return { ...proxied, heap, handler: { type: 'Chain', config: { filters, handler: 'ReverseProxyHandler' } } };
}

const directory = (path: string): JsonObject => ({
  name: 'x',
  type: 'FileSystemSecretStore',
  config: { directory: path, format: 'PLAIN' },
});

describe('a Route that may use a store', () => {
  it('gets the store with its dependencies', () => {
    const { snapshot } = cluster().route('shop/a', using('platform/keys')).compile();
    expect(snapshot?.routes).toMatchObject([{ resources: { 'platform/keys': 'SecretStore/platform/keys' } }]);
    const [resource, ...others] = snapshot?.resources ?? [];
    expect(others).toEqual([]);
    expect(resource).toMatchObject({ objects: [{ name: 'platform/keys' }, { name: 'platform/passwords' }] });
    expect(Object.keys(resource?.type === 'objects' ? resource.files : {})).toHaveLength(3);
  });

  it.each<[string, JsonObject]>([
    ['by its name', using('platform/passwords')],
    [
      'by an object that stands for it',
      using('x', { name: 'x', type: 'Delegate', config: { delegate: 'platform/passwords' } }),
    ],
    ['by a provider', using('x', { name: 'x', type: 'SecretsProvider', config: { stores: ['platform/passwords'] } })],
    ['by its files', using('x', directory('platform/passwords'))],
    ['by its files, in place', using([directory('platform/passwords')])],
    [
      'under the same name',
      using('platform/passwords', { ...directory('platform/passwords'), name: 'platform/passwords' }),
    ],
  ])('does not get stores beyond that: %s', (_, spec) => {
    const { serves, route } = cluster().route('shop/a', spec).verdict('shop/a');
    expect([serves, route?.resources]).toEqual(['refuses', undefined]);
  });

  it.each<[string, JsonObject]>([
    ['a directory', directory('platform/keys')],
    [
      'a keystore',
      {
        name: 'x',
        type: 'KeyStoreSecretStore',
        config: {
          file: 'platform/keys/private.pem',
          storePasswordSecretId: 'password',
          secretsProvider: 'platform/keys',
          mappings: [{ secretId: 'password', aliases: ['a'] }],
        },
      },
    ],
  ])('does not change how its files are read, as %s', (_, object) => {
    const { serves, problems } = cluster().route('shop/a', using('x', object)).verdict('shop/a');
    expect([serves, problems.map(({ code }) => code)]).toEqual(['refuses', ['not-allowed']]);
  });
});
