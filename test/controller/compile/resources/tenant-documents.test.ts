import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';

const respond = (entity: string): JsonObject => ({
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
});
const heap = (...objects: JsonObject[]): JsonObject => ({ heap: objects, ...proxied });
const object = (type: string, config: JsonObject): JsonObject => ({ name: 'x', type, config });

/** The base of an operator with secrets of its own. */
const config: JsonObject = {
  properties: { realm: 'operators' },
  heap: [
    { name: '_router', type: 'Router' },
    object('Base64EncodedSecretStore', { secrets: { own: 'b25l' } }),
    { name: 'vault', type: 'Base64EncodedSecretStore', config: { secrets: { own: 'b25l' } } },
  ],
  handler: '_router',
};

function cluster(): CompiledCluster {
  const tokens = { allowed: 'yes' };
  return new CompiledCluster({ HOME: '/root', SECRET: 'sesame' })
    .base('config', config)
    .base('trust', { tokens, sharedObjects: ['vault'] })
    .store('platform/keys', { type: 'FileSystemSecretStore', config: { format: 'PLAIN' }, secrets: [{ name: 'k' }] })
    .secret('platform/k', { private: 'sesame' });
}

/** What such documents are refused for: nothing else is wrong with them. */
const REFUSED: ReadonlySet<string> = new Set(['not-allowed', 'pattern', 'reference', 'unknown-field']);

describe('the document of a tenant may not', () => {
  it.each<[string, JsonObject]>([
    ['read files', respond("${read('/etc/passwd')}")],
    ['read properties', respond("${readProperties('/etc/passwd')}")],
    [
      'read files when it is loaded',
      heap(object('HeaderFilter', { messageType: 'REQUEST', add: { a: ["&{read('/x')}"] } })),
    ],
    ['make files addresses', respond("${fileToUrl('/etc')}")],
    ['make paths addresses', respond("${pathToUrl('/etc')}")],
    ['see the environment', respond("${env['HOME']}")],
    ['see system properties', respond("${system['user.home']}")],
    ['see where the instance is', respond('${openig.instanceDirectory}')],
    ['see the environment as a token', respond('&{SECRET}')],
    ['see the environment as a token with a default', respond('&{SECRET|none}')],
    ['see properties of operators as tokens', respond('&{realm}')],
    ['load files', { properties: { x: { $location: '/etc/passwd' } }, ...respond('x') }],
    ['read files in its properties', { properties: { x: "${read('/etc/passwd')}" }, ...respond('x') }],
    ['see the environment in its properties', { properties: { x: "${env['HOME']}" }, ...respond('x') }],
    ['use slow patterns in its properties', { properties: { x: "${matches('a', '(a+)+\\\\1')}" }, ...respond('x') }],
    ['have secrets of the environment', heap(object('SystemAndEnvSecretStore', {}))],
    ['serve files', heap(object('ResourceHandler', { directories: ['/etc'] }))],
    ['have a router', heap(object('Router', { directory: '/routes' }))],
    ['have a router of the instance', heap(object('Router', {}))],
    ['name a directory of secrets', heap(object('FileSystemSecretStore', { directory: '/etc', format: 'PLAIN' }))],
    [
      'name the files of a store',
      heap(object('FileSystemSecretStore', { directory: 'platform/keys', format: 'PLAIN' })),
    ],
    [
      'name a keystore',
      heap(
        object('KeyStoreSecretStore', {
          file: '/k.p12',
          secretsProvider: 'vault',
          mappings: [{ secretId: 'a', aliases: ['b'] }],
        }),
      ),
    ],
    ['name a directory for content', heap(object('TemporaryStorage', { directory: '/tmp' }))],
    ['use slow patterns', { condition: "${matches(request.uri.path, '(a+)+\\\\1')}", ...proxied }],
    ['use slow patterns that it looks for', { condition: "${find(request.uri.path, '(?=x)(?<!y)z')}", ...proxied }],
    [
      'reach prototypes by a key',
      {
        ...respond('x'),
        ['__proto__']: 1,
        heap: [JSON.parse('{"__proto__":{"a":1},"name":"x","type":"ClientHandler"}')],
      },
    ],
    ['refer to stores of operators', { secrets: { stores: ['x'] }, ...proxied }],
    ['refer to stores of others', { secrets: { stores: ['platform/keys'] }, ...proxied }],
  ])('%s', (_, spec) => {
    const verdict = cluster().route('shop/a', spec).verdict('shop/a');
    expect(verdict.serves).not.toBe('this');
    expect(verdict.route?.refuses ?? true).toBe(true);
    const errors = verdict.problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ code }) => code).filter((code) => !REFUSED.has(code))).toEqual([]);
    expect(errors).not.toEqual([]);
    expect(JSON.stringify(verdict)).not.toMatch(/sesame|c2VzYW1l|\/root/);
  });
});

describe('the document of a tenant may', () => {
  it.each<[string, JsonObject]>([
    ['use its own properties', { properties: { x: 'y' }, ...respond('&{x} ${x}') }],
    ['use tokens that an operator allows', respond('&{allowed}')],
    ['use what an operator shares', { secrets: { stores: ['vault'] }, ...proxied }],
    [
      'use patterns that run in linear time',
      { condition: "${matches(request.uri.path, '^/a[0-9]+$')}", ...respond('x') },
    ],
  ])('%s', (_, spec) => {
    expect(cluster().route('shop/a', spec).verdict('shop/a').serves).toBe('this');
  });

  it('not mean something by the properties of operators', () => {
    const { problems } = cluster().route('shop/a', respond('${realm}')).verdict('shop/a');
    expect(problems.map(({ message }) => message).join()).toMatch(/realm/);
  });
});
