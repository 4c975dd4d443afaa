import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { checkManifests } from '../../../cli/actions/check-manifests.ts';
import { checkPaths } from '../../../cli/actions/check-paths.ts';
import { type ExportedManifests, exportInstance } from '../../../cli/actions/export-instance.ts';
import { checkReport } from '../../../cli/output/check-report.ts';
import { verdictRecords } from '../../../cli/output/verdict-text.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';

const answer = { type: 'StaticResponseHandler', config: { status: 200 } };
const authenticated = (secretsProvider: unknown): object => ({
  type: 'Chain',
  config: {
    filters: [
      {
        type: 'ClientSecretBasicAuthenticationFilter',
        config: { clientId: 'a', clientSecretId: 'api.secret', secretsProvider },
      },
    ],
    handler: answer,
  },
});
const files = { type: 'FileSystemSecretStore', config: { directory: '&{ig.instance.dir}/secrets', format: 'PLAIN' } };
const router = { name: '_router', type: 'Router' };

const instance = new InstanceFolder({
  'config/config.json': {
    $schema: 'config.schema.json',
    properties: { greeting: 'hello', fromElsewhere: '&{ELSEWHERE|hunter2}' },
    heap: [router, { name: 'SharedFiles-1', ...files }],
  },
  'config/admin.json': { $schema: 'admin.schema.json', connectors: [{ port: 8080 }] },
  'config/routes/10_Shared Route.json': { handler: authenticated('SharedFiles-1') },
  'config/routes/20-own.json': {
    _id: 'own',
    name: 'Own & Only',
    heap: [{ name: 'Mine', type: 'Base64EncodedSecretStore', config: { secrets: { 'api.secret': 'aHVudGVyMg==' } } }],
    handler: authenticated('Mine'),
  },
  'config/routes/30-inline.yaml': `handler: ${JSON.stringify(authenticated(files))}\n`,
  'config/routes/40-token.json': {
    $schema: 'route.schema.json',
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: '&{greeting} ${request.method}' } },
  },
  'secrets/api.secret': 'hunter2',
});
const refused = new InstanceFolder({
  'config/config.json': { heap: [router, { name: 'kept', ...files }, { name: 'user', ...authenticated('kept') }] },
  'config/routes/a.json': { handler: { type: 'ResourceHandler', config: { directories: ['/srv'] } } },
  'config/routes/b.json': { handler: answer, condition: "${empty env['HOME']}" },
  'config/routes/c.json': {
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: '&{ELSEWHERE|x}' } },
  },
  'config/routes/d.json': { handler: { type: 'Router', name: 'inner', config: { directory: '/nowhere' } } },
  'config/routes/default.json': { handler: answer },
  'secrets/api.secret': 'hunter2',
});
afterAll(() => {
  for (const folder of [instance, refused]) folder[Symbol.dispose]();
});

const settings = { system: {}, namespace: 'shop', baseName: 'gatewarden' };
const exported = ({ path }: InstanceFolder, includesSecrets: boolean): ExportedManifests =>
  exportInstance(path, { ...settings, includesSecrets });
const objectsOf = ({ files: texts }: ExportedManifests): JsonObject[] =>
  [...texts.values()].flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as JsonObject));
const problemsOf = ({ files: texts }: ExportedManifests): string[] => {
  const sources = [...texts].map(([path, text]) => ({ path, content: Buffer.from(text) }));
  const { verdicts } = checkManifests(sources, { system: {}, namespace: 'shop', base: 'shop/gatewarden' });
  return verdicts.flatMap(verdictRecords).map(({ label = '', path, message }) => `${label} ${path}: ${message}`);
};

describe('an exported instance', () => {
  const manifests = exported(instance, true);
  const objects = objectsOf(manifests);
  const named = (kind: string, name: string): JsonObject =>
    objects.find((one) => one['kind'] === kind && (one['metadata'] as JsonObject)['name'] === name)!;

  it('is valid without changes when its secrets are included', () => {
    expect(problemsOf(manifests)).toEqual([
      'SecretStore shop/mine spec.config: is for tests: anyone who can read the document can read its secrets',
    ]);
    expect(manifests.remarks).toEqual([]);
  });

  it('has a Route for each route, whose name keeps its place', () => {
    const routes = objects.filter(({ kind }) => kind === 'Route');
    expect(
      routes.map(({ metadata, spec }) => [(metadata as JsonObject)['name'], (spec as JsonObject)['name']]),
    ).toEqual([
      ['10-shared-route', '10_Shared Route'],
      ['own', 'Own & Only'],
      ['30-inline', '30-inline'],
      ['40-token', '40-token'],
    ]);
    expect(JSON.stringify(routes)).not.toContain('_id');
  });

  it('has SecretStores with Secrets for the stores of routes, which refer to them by names that Kubernetes has', () => {
    expect(named('SecretStore', 'sharedfiles-1')['spec']).toEqual({
      type: 'FileSystemSecretStore',
      config: { format: 'PLAIN' },
      secrets: [{ name: 'sharedfiles-1', items: [{ key: 'api.secret' }] }],
    });
    expect(named('SecretStore', 'mine')['spec']).toEqual({
      type: 'Base64EncodedSecretStore',
      secrets: [{ name: 'mine', items: [{ key: 'api.secret', secretId: 'api.secret' }] }],
    });
    for (const name of ['sharedfiles-1', 'mine', '30-inline-secrets']) {
      expect(named('Secret', name)).toMatchObject({
        metadata: { labels: { 'gatewarden.io/secret-store': 'allowed' } },
        data: { 'api.secret': Buffer.from('hunter2').toString('base64') },
      });
    }
    expect(JSON.stringify(named('Route', '10-shared-route')['spec'])).toContain('"secretsProvider":"sharedfiles-1"');
    expect(named('Route', 'own')['spec']).toMatchObject({ heap: [] });
  });

  it('has the base configuration without stores that only routes used, and tokens that routes need', () => {
    const data = named('ConfigMap', 'gatewarden')['data'] as JsonObject;
    expect(Object.keys(data).toSorted()).toEqual(['admin.json', 'config.json', 'trust.json']);
    expect((JSON.parse(String(data['config.json'])) as { heap: unknown }).heap).toEqual([router]);
    expect(JSON.parse(String(data['trust.json']))).toEqual({ tokens: { greeting: 'hello' } });
  });

  it('has no $schema in its Routes', () => {
    const routes = objects.filter(({ kind }) => kind === 'Route');
    expect(JSON.stringify(routes)).not.toContain('$schema');
  });

  it('prints no secret unless requested, and lists the missing keys', () => {
    const silent = exported(instance, false);
    const text = [...silent.files.values(), ...silent.remarks].join('\n');
    expect(text).not.toContain('aHVudGVyMg');
    expect(text).not.toContain(Buffer.from('hunter2').toString('base64'));
    expect(silent.remarks).toContain('Secret shop/mine: add the keys api.secret');
    expect(problemsOf(silent).join('\n')).toContain("there is no key 'api.secret' in the Secret shop/mine");
  });
});

describe('a part that cannot be exported', () => {
  const manifests = exported(refused, false);

  it('is reported for files and directories', () => {
    const remarks = manifests.remarks.join('\n');
    expect(remarks).toContain('default.json: is not a route; it is not exported');
    expect(remarks).toContain('config.json: heap[1].config.directory names a path on this machine');
  });

  it('is reported by the compiler for what tenants may not use', () => {
    const told = problemsOf(manifests).join('\n');
    expect(told).toContain('Route shop/a spec.handler.type: ResourceHandler is for operators only');
    expect(told).toContain('Route shop/b spec.condition');
    expect(told).toContain('Route shop/c spec.handler.config.entity: has the token &{ELSEWHERE}');
    expect(told).toContain('Route shop/d spec.handler');
  });
});

describe('gatewarden export', () => {
  const checked = (path: string): string =>
    checkReport(checkPaths([path], { system: {}, namespace: 'default', base: null })).text;

  it('writes files, and prints the result of `gatewarden check` for them', async () => {
    using out = new InstanceFolder();
    const words = ['export', refused.path, '--namespace', 'shop', '--out', out.at('made')];
    const { code, stdout, stderr } = await runProgram(gatewarden, words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(readdirSync(out.at('made')).toSorted()).toEqual([
      'configmap-gatewarden.yaml',
      'route-a.yaml',
      'route-b.yaml',
      'route-c.yaml',
      'route-d.yaml',
    ]);
    expect(stderr.slice(stderr.indexOf('\n\n') + 2)).toBe(checked(out.at('made')));
  });

  it('writes manifests to the standard output that can be applied', async () => {
    const words = ['export', instance.path, '--namespace=shop', '--include-secrets'];
    const { code, stdout, stderr } = await runProgram(gatewarden, words);
    expect(code).toBe(0);
    using out = new InstanceFolder({ 'all.yaml': stdout });
    expect(checked(out.at('all.yaml'))).toMatch(/3 files and 7 resources checked: 0 errors, 1 warning\n$/);
    expect(stderr).toMatch(/3 files and 7 resources checked: 0 errors, 1 warning\n$/);
  });
});
