import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { tenantReach } from '../../../contract/reach.ts';
import { startRecordingBackend } from '../../support/backends/recording-backend.ts';
import { startTenants, TENANT } from '../../support/gateways/tenant-gateway.ts';
import { pkcs12File, SECRET_KEY } from '../../support/identity/pkcs12-file.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const FILES = { 'shop/keys/password': base64('swordfish'), 'shop/keys/a.b': base64('x'), 'shop/other/y': base64('y') };

describe('tenantReach', () => {
  const reach = tenantReach(FILES);

  it('has only the files of the stores', () => {
    expect(Buffer.from(reach.readFile('shop/keys/password')!).toString()).toBe('swordfish');
    expect(reach.listDirectory('shop/keys')).toEqual(['password', 'a.b']);
    const others = [
      '/etc/passwd',
      'shop/keys',
      'shop/keys/../other/y',
      '/shop/keys/password',
      'constructor',
      '__proto__',
    ];
    expect(others.map((path) => reach.readFile(path))).toEqual(others.map(() => null));
    expect(['/etc', '.', '', '/', 'shop', 'shop/key'].map((path) => reach.listDirectory(path))).toEqual(
      Array(6).fill(null),
    );
    expect([reach.origin, reach.directories, reach.env('HOME'), reach.system('user.home')]).toEqual([
      'tenant',
      null,
      undefined,
      undefined,
    ]);
  });
});

describe("a tenant's secret store", () => {
  const store = (directory: string): JsonObject => ({
    name: 'issuer-keys',
    type: 'FileSystemSecretStore',
    config: { directory, format: 'PLAIN' },
  });
  const document = (directory: string, uri: string): JsonObject => ({
    heap: [store(directory)],
    baseURI: uri,
    handler: {
      type: 'Chain',
      config: {
        filters: [
          {
            type: 'HttpBasicAuthenticationClientFilter',
            config: {
              username: 'me',
              passwordSecretId: 'password',
              secretsProvider: 'issuer-keys',
              urlEncodeCredentials: false,
            },
          },
        ],
        handler: 'ReverseProxyHandler',
      },
    },
  });

  async function backend() {
    const started = await startRecordingBackend();
    onTestFinished(() => started.close());
    const { port } = started.destination;
    return { uri: `http://127.0.0.1:${port}`, requests: started.requests, egress: [`127.0.0.1:${port}`] };
  }

  it('has the files of its route, and other files make another route', async () => {
    const { uri, requests, egress } = await backend();
    const route = (password: string) => ({
      tenant: TENANT,
      document: document('shop/keys', uri),
      files: { 'shop/keys/password': base64(password) },
    });
    const gateway = await startTenants({ 'shop.a': route('first') }, { trust: { egress } });
    expect(gateway.problems).toEqual([]);
    await gateway.get('/');
    expect(gateway.change({ 'shop.a': route('second') })).toEqual([]);
    await gateway.get('/');
    const sent = requests.map(
      ({ lines }) => lines[lines.findIndex((line) => line.toLowerCase() === 'authorization') + 1],
    );
    expect(sent).toEqual(['me:first', 'me:second'].map((text) => `Basic ${base64(text)}`));
    expect(gateway.log.join('')).not.toMatch(/first|second|Zmlyc3Q|c2Vjb25k/);
  });

  it('has no files of another route, nor of the machine', async () => {
    const { uri, egress } = await backend();
    const folder = watchedDirectory().path;
    writeFileSync(join(folder, 'password'), 'of the machine');
    const routes = {
      'shop.a': { tenant: TENANT, document: document('shop/keys', uri), files: FILES },
      'shop.b': { tenant: TENANT, document: document('shop/keys', uri) },
      'shop.c': { tenant: TENANT, document: document(folder, uri), files: FILES },
      'shop.d': { tenant: TENANT, document: document('shop/keys/..', uri), files: FILES },
    };
    const gateway = await startTenants(routes, { trust: { egress } });
    const codes = gateway.problems.map(({ route, problems }) => [route?.id, problems.map(({ code }) => code)]);
    expect(codes).toEqual([
      ['shop.b', ['not-allowed']],
      ['shop.c', ['not-allowed']],
      ['shop.d', ['not-allowed']],
    ]);
  });

  it('may be a keystore', async () => {
    const { uri, requests, egress } = await backend();
    const keystore = pkcs12File({ password: 'changeit', secrets: { pass: [SECRET_KEY.password, 'swordfish'] } });
    const passwords = { type: 'FileSystemSecretStore', config: { directory: 'shop/keys', format: 'PLAIN' } };
    const config = {
      file: 'shop/keys/store.p12',
      storePasswordSecretId: 'storepass',
      secretsProvider: passwords,
      mappings: [{ secretId: 'password', aliases: ['pass'] }],
    };
    const files = {
      'shop/keys/store.p12': keystore.toString('base64'),
      'shop/keys/storepass': base64('changeit'),
    };
    const { heap: _heap, ...rest } = document('shop/keys', uri);
    const route = { ...rest, heap: [{ name: 'issuer-keys', type: 'KeyStoreSecretStore', config }] };
    const gateway = await startTenants({ 'shop.a': { tenant: TENANT, document: route, files } }, { trust: { egress } });
    expect(gateway.problems).toEqual([]);
    expect((await gateway.get('/')).status).toBe(200);
    expect(requests[0]?.lines).toContain(`Basic ${base64('me:swordfish')}`);
  });

  it('cannot expose other files of the data plane', async () => {
    const heap = [{ name: 'mine', type: 'TemporaryStorage', config: { directory: 'shop/keys' } }];
    const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: "${read('shop/keys/password')}" } };
    const gateway = await startTenants({ 'shop.a': { tenant: TENANT, document: { heap, handler }, files: FILES } });
    const problems = gateway.problems.flatMap((one) =>
      one.problems.map(({ code, path }) => `${code} ${path.join('.')}`),
    );
    expect(problems).toEqual(['not-allowed heap.0.config.directory', 'not-allowed handler.config.entity']);
  });
});
