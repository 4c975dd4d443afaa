import { describe, expect, it } from 'vitest';
import { pathText } from '../../../contract/problem.ts';
import type { SourceFile } from '../../../controller/compile/source-file.ts';
import { looksLikeManifest } from '../../../controller/source/manifest-objects.ts';
import { type ManifestSet, Manifests } from '../../../controller/source/manifests.ts';

const options = { namespace: 'default', base: null };
const fileOf = (text: string, path = '/m/all.yaml'): SourceFile => ({ path, content: Buffer.from(text) });
const read = (text: string, base: string | null = null): ManifestSet =>
  new Manifests({ ...options, base }).read([fileOf(text)]);
const toldOf = ({ problems }: ManifestSet): string[] =>
  problems.map(({ problem }) => `${pathText(problem.path)}: ${problem.message}`);

const route = (name: string, spec = '{ handler: a }'): string =>
  `apiVersion: gatewarden.io/v1alpha1\nkind: Route\nmetadata: { name: ${name}, namespace: shop }\nspec: ${spec}\n`;
const store = `apiVersion: gatewarden.io/v1alpha1
kind: SecretStore
metadata: { name: keys }
spec: { type: FileSystemSecretStore, secrets: [{ name: held }, { name: gone }] }
`;
const secret = (label: string): string => `apiVersion: v1
kind: Secret
metadata: { name: held, labels: { ${label} } }
data: { a: QQ==, b: QQ== }
stringData: { b: text }
`;
const configMap = (name: string): string => `apiVersion: v1
kind: ConfigMap
metadata: { name: ${name}, namespace: platform }
data: { config.json: '{}', trust.json: '{ "tenants": [] }' }
`;

describe('manifests', () => {
  it('are read like kubectl does: several in a file, lists, ignoring other kinds', () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n${[route('b'), route('c')].map(asItem).join('')}`;
    const set = read(
      [route('a'), '# nothing\n', list, 'apiVersion: v1\nkind: Service\nmetadata: { name: x }\n'].join('---\n'),
    );
    expect([...set.resources.routes.keys()]).toEqual(['shop/a', 'shop/b', 'shop/c']);
    expect(set.skipped.map(({ value }) => value['kind'])).toEqual(['Service']);
    expect(set.problems).toEqual([]);
    const second = set.resources.routes.get('shop/c')!;
    expect(set.origins.get(second)!.placeOf(['spec', 'handler'])).toEqual({ line: 18, column: 20 });
  });

  it('may be JSON', () => {
    const text = JSON.stringify({ apiVersion: 'gatewarden.io/v1alpha1', kind: 'RouteList', items: [{ ...bare('x') }] });
    const set = new Manifests(options).read([fileOf(text, '/m/a.json')]);
    expect([...set.resources.routes.keys()]).toEqual(['default/x']);
  });

  it('provide the Secrets of stores: with consent, without data, or as missing', () => {
    const allowed = read(`${store}---\n${secret('gatewarden.io/secret-store: allowed')}`);
    expect(Object.fromEntries(allowed.resources.secrets.get('default/held')!.data!)).toEqual({
      a: Buffer.from('A'),
      b: Buffer.from('text'),
    });
    expect(allowed.resources.secrets.get('default/gone')).toBeNull();
    const refused = read(`${store}---\n${secret('gatewarden.io/secret-store: "no"')}`);
    expect(refused.resources.secrets.get('default/held')).toMatchObject({ data: null });
  });

  it('provide the base configuration: the only candidate ConfigMap, or the named one', () => {
    const one = read(
      `${configMap('a')}---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: other }\ndata: { x: y }\n`,
    );
    expect(one.base.config?.path).toBe('platform/a/config.json');
    expect(one.resources.trust?.content.toString()).toBe('{ "tenants": [] }');
    expect(one.skipped).toHaveLength(1);
    const both = `${configMap('a')}---\n${configMap('b')}`;
    expect(toldOf(read(both))).toEqual([
      ': it is not known whether this or ConfigMap platform/a is the base configuration',
    ]);
    expect(read(both, 'platform/b').base.config?.path).toBe('platform/b/config.json');
    expect(toldOf(read(both, 'platform/c'))).toEqual([': is not among the manifests']);
  });

  it.each<[string, string, string]>([
    ['an object twice', `${route('a')}---\n${route('a')}`, 'metadata.name: there is another Route of this name'],
    [
      'a Secret twice',
      `${secret('a: b')}---\n${secret('a: b')}`,
      'metadata.name: there is another Secret of this name',
    ],
    ['no kind', 'apiVersion: v1\n', ": this is not a Kubernetes object: it has no 'apiVersion' and 'kind'"],
    ['no object', '[]\n', ': must be an object, not an array'],
    ['a bad name', route('A_b'), 'metadata.name: must be a name as Kubernetes has them'],
    [
      'values that are no base64',
      secret('gatewarden.io/secret-store: allowed').replace('QQ==', '"?"'),
      'data.a: must be a text in base64',
    ],
    ['text that is no YAML', 'a: [\n', ': is not YAML that can be read'],
  ])('report %s', (_, text, message) => {
    expect(toldOf(read(text)).join('\n')).toContain(message);
  });

  it('never print the content of a Secret', () => {
    const set = read(secret('gatewarden.io/secret-store: allowed').replace('QQ==', '"hunter2!"'));
    expect(set.problems).toHaveLength(1);
    expect(JSON.stringify(set.problems.map(({ problem }) => problem))).not.toContain('hunter2');
  });

  it('that did not change stay the same objects; changed ones get later versions', () => {
    const manifests = new Manifests(options);
    const texts = (spec: string): SourceFile[] => [
      fileOf([route('a'), route('b', spec), store, configMap('c')].join('---\n')),
    ];
    const first = manifests.read(texts('{ handler: a }'));
    const second = manifests.read(texts('{ handler: b }'));
    const of = (set: ManifestSet, name: string) => set.resources.routes.get(`shop/${name}`)!;
    expect(of(second, 'a')).toBe(of(first, 'a'));
    expect(second.base).toBe(first.base);
    expect(of(second, 'b')).toMatchObject({ uid: of(first, 'b').uid, generation: 2 });
    expect(Number(of(second, 'b').resourceVersion)).toBeGreaterThan(Number(of(first, 'b').resourceVersion));
    const third = manifests.read([fileOf(route('a'))]);
    expect([...third.resources.routes.keys()]).toEqual(['shop/a']);
    expect(third.base.config).toBeNull();
  });
});

describe('looksLikeManifest', () => {
  it.each<[string, string, boolean]>([
    ['a manifest', route('a'), true],
    ['a broken manifest', `${route('a')}x: [\n`, true],
    ['a route document', 'handler: a\n', false],
    ['a broken route document', 'handler: [\n', false],
    ['a document about another kind of thing', 'kind: a\nhandler: b\n', false],
  ])('decides on %s', (_, text, expected) => {
    expect(looksLikeManifest(fileOf(text))).toBe(expected);
  });
});

const bare = (name: string): object => ({
  apiVersion: 'gatewarden.io/v1alpha1',
  kind: 'Route',
  metadata: { name },
  spec: { handler: 'a' },
});

function asItem(text: string): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line, at) => `${at === 0 ? '- ' : '  '}${line}\n`)
    .join('');
}
