import { describe, expect, it } from 'vitest';
import { checkManifests, type ManifestFindings } from '../../../cli/actions/check-manifests.ts';
import { checkPaths, type Findings } from '../../../cli/actions/check-paths.ts';
import { checkReport } from '../../../cli/output/check-report.ts';
import { verdictRecords } from '../../../cli/output/verdict-text.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

const options = { system: {}, namespace: 'shop', base: null };
const check = (...texts: string[]): ManifestFindings =>
  checkManifests([{ path: '/m/all.yaml', content: Buffer.from(texts.join('---\n')) }], options);
const toldOf = ({ verdicts }: ManifestFindings): string[] =>
  verdicts.flatMap(verdictRecords).map(({ label = '', path, message }) => `${label} ${path}: ${message}`);

const manifest = (kind: string, name: string, spec: string): string =>
  `apiVersion: gatewarden.io/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
const answer = '{ type: StaticResponseHandler, config: { status: 200 } }';
const asking = (store: string): string =>
  `{ handler: { type: Chain, config: { handler: ${answer}, filters: [{ type: ClientSecretBasicAuthenticationFilter, ` +
  `config: { clientId: a, clientSecretId: b, secretsProvider: ${store} } }] } } }`;
const store = manifest(
  'SecretStore',
  'held',
  '{ type: FileSystemSecretStore, config: { format: PLAIN }, secrets: [{ name: kept }] }',
);
const secret = (data: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: { name: kept, labels: { gatewarden.io/secret-store: allowed } }\nstringData: ${data}\n`;
const configMap = (data: object): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: base }\ndata: ${JSON.stringify(data)}\n`;

describe('manifests are validated together', () => {
  it('and are accepted without problems', () => {
    const findings = check(
      configMap({ 'config.json': '{ "heap": [{ "name": "_router", "type": "Router" }] }', 'trust.json': '{}' }),
      manifest('Route', 'a', asking('held')),
      store,
      secret('{ b: hunter2 }'),
    );
    expect(toldOf(findings)).toEqual([]);
    const { text, isSound } = checkReport({ verdicts: [], tokenProblems: [], manifests: findings });
    expect({ text, isSound }).toEqual({
      text: '2 files and 2 resources checked: 0 errors, 0 warnings\n',
      isSound: true,
    });
  });

  it.each<[string, string[], RegExp]>([
    [
      'the form of a spec',
      [manifest('Route', 'a', `{ handler: ${answer}, onInvalid: Keep }`)],
      /^Route a spec\.onInvalid: must be one of KeepLastGood/,
    ],
    [
      'a document',
      [manifest('Route', 'a', '{ handler: { type: Chian } }')],
      /^Route a spec\.handler\.type: there is no type 'Chian'/,
    ],
    [
      'what a tenant may not do',
      [manifest('Route', 'a', `{ handler: ${answer}, condition: "\${empty env['A']}" }`)],
      /^Route a spec\.condition: /,
    ],
    [
      'a store that is missing',
      [manifest('Route', 'a', asking('held'))],
      /^Route a spec\.handler.*secretsProvider: .*held/,
    ],
    [
      'a Secret that is missing',
      [manifest('Route', 'a', asking('held')), store],
      /SecretStore held spec\.secrets\[0\]\.name: there is no Secret shop\/kept/,
    ],
    [
      'an AuditService',
      [manifest('AuditService', 'a', '{ eventHandlers: [{ class: Odd }] }')],
      /^AuditService a spec\.eventHandlers\[0\]\.class: there is no event handler 'Odd'/,
    ],
    [
      'config.json',
      [configMap({ 'config.json': '{ "handler": "nowhere" }' })],
      /^ handler: there is no object 'nowhere'/,
    ],
    ['trust.json', [configMap({ 'trust.json': '{ "tenant": [] }' })], /^ tenant: there is no field 'tenant' here/],
    [
      'admin.json',
      [configMap({ 'admin.json': '{ "conectors": [] }' })],
      /^ conectors: there is no field 'conectors' here/,
    ],
    ['text', ['a: [\n'], /is not YAML that can be read/],
  ])('and report problems of %s', (_, texts, expected) => {
    const told = toldOf(check(...texts));
    expect(told.find((line) => expected.test(line)) ?? told).toMatch(expected);
  });

  it('with positions in the file, their effect, and ignored objects', () => {
    const other = 'apiVersion: v1\nkind: Service\nmetadata: { name: x, namespace: y }\n';
    const another = 'apiVersion: v1\nkind: Namespace\nmetadata: { name: y }\n';
    const manifests = check(other, manifest('Route', 'a', '{ handler: { type: Chian } }'), another);
    const { text } = checkReport({ verdicts: [], tokenProblems: [], manifests });
    expect(text).toContain('  at /m/all.yaml:8:26\n  8 | spec: { handler: { type: Chian } }\n');
    expect(text).toContain('/m/all.yaml, Route a: EVERY REQUEST THAT REACHES THIS ROUTE GETS 500');
    expect(text).toContain('note: not checked: Service y/x, Namespace y\n');
  });

  it('with a name only where an object has one', () => {
    const { text } = checkReport({ verdicts: [], tokenProblems: [], manifests: check('{ tokens: [] }\n') });
    expect(text).toContain('error: this is not a Kubernetes object');
  });

  it('and never print the content of a Secret', () => {
    for (const data of ['{ b: [hunter2] }', '{ b: hunter2', '\n  b: hunter2\n bad: "hunter2']) {
      const manifests = check(store, secret(data));
      const { text, isSound } = checkReport({ verdicts: [], tokenProblems: [], manifests });
      expect(isSound).toBe(false);
      expect(text).not.toContain('hunter2');
    }
  });
});

describe('files that gatewarden check reads as manifests', () => {
  const route = manifest('Route', 'a', `{ handler: ${answer} }`);
  const counts = ({ verdicts, manifests }: Findings): (number | undefined)[] => [verdicts.length, manifests?.resources];
  it.each<[string, Record<string, unknown>, string, (number | undefined)[]]>([
    ['a file', { 'a.yaml': route }, 'a.yaml', [0, 1]],
    ['a directory', { 'a.yaml': route, 'b.yml': route.replace('name: a', 'name: b'), 'c.txt': '' }, '.', [0, 2]],
    ['no route file', { 'a.yaml': `handler: ${answer}\n` }, 'a.yaml', [1, undefined]],
    ['no instance', { 'config/config.json': {}, 'a.yaml': route }, '.', [1, undefined]],
  ])('are found: %s', (_, files, path, expected) => {
    using folder = new InstanceFolder(files);
    expect(counts(checkPaths([folder.at(path)], options))).toEqual(expected);
  });

  it('resources of an instance are validated with it', () => {
    using folder = new InstanceFolder({
      'config/config.json': { heap: [{ name: '_router', type: 'Router' }] },
      'config/routes/x.json': { handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
      'config/resources/all.yaml': `${route}---\n${manifest('Route', 'b', '{ handler: nowhere }')}---\n${configMap({})}`,
    });
    const { text } = checkReport(checkPaths([folder.path], options));
    expect(text).toContain("error: Route b → spec.handler: there is no object 'nowhere'");
    expect(text).toContain('warning: ConfigMap base: has no effect');
    expect(text).toMatch(/2 files and 3 resources checked: 1 error, 1 warning\n$/);
  });
});
