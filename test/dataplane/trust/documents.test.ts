import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import { fieldNames } from '../../../contract/vocabulary/parse-config.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { refusalOf } from '../../support/clients/answers.ts';
import { startTenants, TENANT } from '../../support/gateways/tenant-gateway.ts';

const FILES = { 'shop/keys/password': 'eA==' };
const ok: JsonObject = { type: 'StaticResponseHandler', config: { status: 200 } };

async function codesOf(document: JsonObject): Promise<string[]> {
  const { problems } = await startTenants({ 'shop.a': { tenant: TENANT, document, files: FILES } });
  return problems.flatMap((one) => one.problems.filter(isError).map(({ code, path }) => `${code} ${path.join('.')}`));
}

function isError({ severity }: Problem): boolean {
  return severity === 'error';
}

const says = (entity: string): JsonObject => ({
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
});
const declared = (type: string, config: JsonObject = {}): JsonObject => ({
  heap: [{ name: 'it', type, config }],
  handler: ok,
});

describe("a tenant's document", () => {
  it.each([
    "${read('/etc/passwd')}",
    "${read('shop/keys/password')}",
    "${readWithCharset('/etc/passwd', 'UTF-8')}",
    "${readProperties('/etc/passwd')}",
    "${fileToUrl('/etc/passwd')}",
    "${pathToUrl('/etc/passwd')}",
    '${env.HOME}',
    "${system['user.home']}",
    '${openig.instanceDirectory}',
  ])('may not contain %s', async (expression) => {
    expect(await codesOf(says(expression))).toEqual(['not-allowed handler.config.entity']);
  });

  it.each<[string, JsonObject, string]>([
    ['the environment', declared('SystemAndEnvSecretStore'), 'heap.0.type'],
    ['system properties', declared('SystemProxyOptions'), 'heap.0.type'],
    ['files as resources', { handler: { type: 'ResourceHandler', config: { directories: ['/'] } } }, 'handler.type'],
    ['a router', { handler: { type: 'Router' } }, 'handler.type'],
    ['a directory of secrets', declared('FileSystemSecretStore', { directory: '/etc' }), 'heap.0.config.directory'],
    [
      'a keystore',
      declared('KeyStoreSecretStore', {
        file: '/etc/keystore.p12',
        secretsProvider: { type: 'Base64EncodedSecretStore', config: { secrets: { a: 'eA==' } } },
        mappings: [{ secretId: 'a', aliases: ['a'] }],
      }),
      'heap.0.config.file',
    ],
    ['a place for its content', declared('TemporaryStorage', { directory: '/var' }), 'heap.0.config.directory'],
    ...[
      'AccessTokenResolver',
      'JwtValidatorCustomizer',
      'ResourceAccess',
      'ResourceUriProvider',
      'ThrottlingPolicy',
    ].map((name): [string, JsonObject, string] => [
      `a Scriptable${name} that is a file`,
      declared(`Scriptable${name}`, { type: 'application/x-groovy', file: '/etc/script.groovy' }),
      'heap.0.config.file',
    ]),
    [
      'a handler that is a file',
      { handler: { type: 'ScriptableHandler', config: { type: 'application/x-groovy', file: '/etc/answer.groovy' } } },
      'handler.config.file',
    ],
    [
      'a filter that is a file',
      {
        handler: {
          type: 'Chain',
          config: {
            filters: [
              { type: 'ScriptableFilter', config: { type: 'application/x-groovy', file: '/etc/filter.groovy' } },
            ],
            handler: ok,
          },
        },
      },
      'handler.config.filters.0.config.file',
    ],
    [
      'a file with attributes',
      {
        handler: {
          type: 'Chain',
          config: {
            filters: [
              {
                type: 'FileAttributesFilter',
                config: { file: '/etc/passwd', key: 'user', value: 'root', target: '${attributes.user}' },
              },
            ],
            handler: ok,
          },
        },
      },
      'handler.config.filters.0.config.file',
    ],
    [
      'the proxies of the system',
      { handler: { type: 'ReverseProxyHandler', config: { systemProxy: true } } },
      'handler.config.systemProxy',
    ],
  ])('may not use %s', async (_what, document, path) => {
    expect(await codesOf(document)).toEqual([`not-allowed ${path}`]);
  });

  it('may not show private keys', async () => {
    const config = {
      secretsProvider: { type: 'Base64EncodedSecretStore', config: { secrets: { a: 'eA==' } } },
      purposes: [{ secretId: 'a', keyUsage: 'SIGN' }],
      exposePrivateSecrets: true,
    };
    const document = { handler: { type: 'JwkSetHandler', config } };
    expect(await codesOf(document)).toEqual(['not-allowed handler.config.exposePrivateSecrets']);
  });

  it.each(['file:///etc/keys.json', 'data:application/json,{}', 'unix:/run/keys.sock', 'ftp://x/y'])(
    'may not fetch keys from %s',
    async (jwkUrl) => {
      expect(await codesOf(declared('JwkSetSecretStore', { jwkUrl }))).toEqual(['value heap.0.config.jwkUrl']);
    },
  );

  it.each(['http+unix://run/x.sock', 'file://etc', 'unix://run'])('may not be sent to %s', async (baseURI) => {
    const gateway = await startTenants({
      'shop.a': { tenant: TENANT, document: { baseURI, handler: 'ReverseProxyHandler' } },
    });
    expect(refusalOf(await gateway.get('/'))).toBe('backend-scheme');
  });

  it.each([
    '${request.constructor}',
    "${request['__proto__']}",
    "${attributes['__proto__']['polluted']}",
    "${request.uri['constructor']['constructor']}",
    '${contexts.constructor.name}',
    "${request.headers['__proto__']}",
    "${'abc'.constructor}",
    "${''['__proto__']}",
  ])('reaches nothing by %s', async (expression) => {
    const document = says(`[${expression}]`);
    const gateway = await startTenants({ 'shop.a': { tenant: TENANT, document } });
    const { status, body } = await gateway.get('/');
    if (gateway.problems.length === 0) expect([status, body]).toEqual([200, '[]']);
    else expect(status).toBe(500);
  });

  it.each([
    "${attributes['__proto__']['polluted']}",
    '${attributes.__proto__.polluted}',
    "${attributes['constructor']['prototype']['polluted']}",
    '${request.__proto__}',
    "${request.headers['__proto__']}",
  ])('changes nothing but its own by %s', async (target) => {
    const filter = { type: 'AssignmentFilter', config: { onRequest: [{ target, value: 'yes' }] } };
    const document = { handler: { type: 'Chain', config: { filters: [filter], handler: ok } } };
    const gateway = await startTenants({ 'shop.a': { tenant: TENANT, document } });
    await gateway.get('/');
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each(['(a)\\\\1', '(?=a)b', '(?<!a)b', 'a++b'])('may not use the pattern %s', async (pattern) => {
    const document = { ...says('x'), condition: `\${find(request.uri.path, '${pattern}')}` };
    expect(await codesOf(document)).toEqual(['pattern condition']);
  });
});

it('every field with a path on the data plane is listed above and rejected for tenants', () => {
  const named = catalogue.definitions.flatMap(({ type, config }) =>
    fieldNames(config)
      .filter((field) => /director|(?:^|[a-z])(?:f|F)ile$|^script/.test(field))
      .map((field) => `${type}.${field}`),
  );
  const effective = named.filter((name) => name !== 'CaptureFilter.file'); // which has no effect
  expect(effective.sort()).toEqual([
    'FileAttributesFilter.file',
    'FileSystemSecretStore.directory',
    'KeyStoreSecretStore.file',
    'ResourceHandler.directories',
    'Router.directory',
    'ScriptableAccessTokenResolver.file',
    'ScriptableFilter.file',
    'ScriptableHandler.file',
    'ScriptableJwtValidatorCustomizer.file',
    'ScriptableResourceAccess.file',
    'ScriptableResourceUriProvider.file',
    'ScriptableThrottlingPolicy.file',
    'TemporaryStorage.directory',
  ]);
});
