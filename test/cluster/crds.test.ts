import { beforeAll, describe, expect, it, vi } from 'vitest';
import { definitionNames, resourceDefinitions } from '../../crds/definitions.ts';
import { repositoryRoot } from '../house/source-file.ts';
import { theCluster } from '../support/cluster/cluster.ts';

const apiVersion = 'gatewarden.io/v1alpha1';
const strict = ['--warnings-as-errors', '--server-side'];
let namespace = '';

beforeAll(async () => {
  const { run, namespace: fresh } = theCluster();
  await run(['apply', ...strict, '-f', `${repositoryRoot}/crds`]);
  const names = definitionNames.map((name) => `crd/${name}`);
  await run(['wait', '--for=condition=Established', '--timeout=300s', ...names]);
  namespace = await fresh('crds');
});

interface TestObject {
  readonly kind: string;
  readonly name: string;
  readonly spec: unknown;
}

function manifest({ kind, name, spec }: TestObject): string {
  return JSON.stringify({ apiVersion, kind, metadata: { name, namespace }, spec });
}

const apply = (object: TestObject): Promise<string> =>
  theCluster().run(['apply', ...strict, '--validate=strict', '-f', '-'], manifest(object));

describe('the definitions', () => {
  it('are structural, without failing conditions', async () => {
    const { run } = theCluster();
    for (const name of definitionNames) {
      const crd = JSON.parse(await run(['get', 'crd', name, '-o', 'json'])) as {
        status: { conditions: { type: string; status: string }[] };
      };
      const told = Object.fromEntries(crd.status.conditions.map(({ type, status }) => [type, status]));
      expect(told).toMatchObject({ NamesAccepted: 'True', Established: 'True' });
      expect(told['NonStructuralSchema'] ?? 'False').toBe('False');
    }
  });

  it.each(resourceDefinitions)('describe every field of a $kind', async ({ kind, plural }) => {
    const { run } = theCluster();
    const { spec, status } = await vi.waitFor(
      async () => {
        const document = JSON.parse(await run(['get', '--raw', '/openapi/v3/apis/gatewarden.io/v1alpha1'])) as {
          components: { schemas: Record<string, Node> };
        };
        return document.components.schemas[`io.gatewarden.v1alpha1.${kind}`]!.properties!;
      },
      { timeout: 60_000, interval: 200 },
    );
    const fields = [...silentFields(spec!, 'spec'), ...silentFields(status!, 'status')];
    expect(fields).toEqual([]);
    const explained = await run(['explain', `${plural}.gatewarden.io`, '--recursive']);
    for (const name of Object.keys({ ...spec!.properties, ...status!.properties })) expect(explained).toContain(name);
  });

  it('have short names and a category', async () => {
    await apply({ kind: 'Route', name: 'short', spec: { handler: 'ReverseProxyHandler' } });
    const { run } = theCluster();
    expect(await run(['get', 'gwr', '-n', namespace, '-o', 'name'])).toContain('route.gatewarden.io/short');
    expect(await run(['get', 'gatewarden', '-n', namespace, '-o', 'name'])).toContain('route.gatewarden.io/short');
    expect(await run(['get', 'gwss,gwas', '-n', namespace, '-o', 'name'])).toBe('');
  });
});

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node;
}

/** The paths of fields without a description. */
function silentFields(node: Node, path: string): string[] {
  const within = [node, node.items ?? {}, node.additionalProperties ?? {}];
  return within.flatMap((one) =>
    Object.entries(one.properties ?? {}).flatMap(([name, field]) => [
      ...((field.description ?? '').length > 10 ? [] : [`${path}.${name}`]),
      ...silentFields(field, `${path}.${name}`),
    ]),
  );
}

const handler = { type: 'Chain', config: { filters: [{ type: 'AnyFilter', config: { a: [1, { b: null }] } }] } };

describe('valid objects are stored unchanged', () => {
  const objects: readonly TestObject[] = [
    {
      kind: 'Route',
      name: 'everything',
      spec: {
        name: '10-orders',
        condition: `\${find(request.uri.path, '^/orders')}`,
        baseURI: 'http://orders.shop.svc:8080',
        capture: ['request'],
        comment: 'mine',
        handler,
        heap: [{ name: 'a', type: 'B', config: { deep: [[{ x: 1 }]] }, timer: true }],
        secrets: { stores: ['a', { type: 'FileSystemSecretStore', config: {} }] },
        session: { type: 'JwtSession' },
        auditService: 'platform/audit',
        globalDecorators: { capture: 'all' },
        properties: { url: { $location: 'x' }, n: 1 },
        dataPlanes: {
          matchLabels: { 'gatewarden.io/group': 'edge' },
          matchExpressions: [
            { key: 'zone', operator: 'In', values: ['a', 'b'] },
            { key: 'canary', operator: 'DoesNotExist' },
          ],
        },
        onInvalid: 'Refuse',
      },
    },
    { kind: 'Route', name: 'misspelt-for-the-compiler', spec: { handler, dataPlanes: { matchLabel: { a: 'b' } } } },
    { kind: 'Route', name: 'condition-is-a-boolean', spec: { handler: 'ReverseProxyHandler', condition: true } },
    {
      kind: 'SecretStore',
      name: 'keys',
      spec: {
        type: 'KeyStoreSecretStore',
        config: { file: 'keystore.p12', mappings: [{ secretId: 'a', aliases: ['b'] }] },
        secrets: [
          { name: 'issuer', items: [{ key: 'keystore.p12' }, { key: 'pass', file: 'keystore.pass' }] },
          { name: 'other', items: [{ key: 'k', secretId: 'any.id' }] },
        ],
        allowedNamespaces: ['shop', '*'],
      },
    },
    {
      kind: 'AuditService',
      name: 'audit',
      spec: {
        config: { handlerForQueries: 'json', filterPolicies: { field: { includeIf: ['/access/http'] } } },
        eventHandlers: [{ class: 'org.example.Handler', config: { name: 'json', topics: ['access'] } }],
        allowedNamespaces: ['shop'],
      },
    },
  ];

  it.each(objects)('$kind $name', async (object) => {
    await apply(object);
    const kept = await theCluster().run([
      'get',
      `${object.kind}.gatewarden.io`,
      object.name,
      '-n',
      namespace,
      '-o',
      'json',
    ]);
    expect((JSON.parse(kept) as TestObject).spec).toEqual(object.spec);
  });
});

describe('unsound objects are refused by the API server', () => {
  const route = (spec: object): TestObject => ({ kind: 'Route', name: 'bad', spec: { handler, ...spec } });
  const store = (spec: object): TestObject => ({ kind: 'SecretStore', name: 'bad', spec: { type: 'X', ...spec } });
  const selecting = (one: object): TestObject => route({ dataPlanes: { matchExpressions: [one] } });
  const cases: readonly [string, TestObject, RegExp][] = [
    ['no handler', { kind: 'Route', name: 'bad', spec: {} }, /spec\.handler: Required value/],
    ['no spec', { kind: 'Route', name: 'bad', spec: undefined }, /spec: Required value/],
    [
      'a reserved name',
      route({ name: 'default' }),
      /spec\.name: .*must not be 'default', which is the router's default/,
    ],
    ['an id', route({ _id: 'x' }), /spec\._id: .*must not be given: the id of a Route is NAMESPACE\.NAME/],
    ['an unknown policy', route({ onInvalid: 'Keep' }), /spec\.onInvalid: .*"KeepLastGood", "Refuse"/],
    ['a heap that is no list', route({ heap: {} }), /spec\.heap/],
    ['an object without a type', route({ heap: [{ name: 'a' }] }), /spec\.heap\[0\]\.type: Required value/],
    ['a selector of nothing', selecting({ key: 'a', operator: 'In' }), /In and NotIn need values/],
    [
      'a selector of too much',
      selecting({ key: 'a', operator: 'Exists', values: ['b'] }),
      /Exists and DoesNotExist take none/,
    ],
    ['an unknown operator', selecting({ key: 'a', operator: 'Is' }), /operator: Unsupported value/],
    ['no label', selecting({ key: '-', operator: 'Exists' }), /key: .*must be the key of a label/],
    ['no value of a label', route({ dataPlanes: { matchLabels: { a: 'b c' } } }), /must be the value of a label/],
    ['a store without a type', { kind: 'SecretStore', name: 'bad', spec: {} }, /spec\.type: Required value/],
    [
      'a file that is a value',
      store({ secrets: [{ name: 'a', items: [{ key: 'k', file: 'f', secretId: 's' }] }] }),
      /'file' and 'secretId' cannot be given together/,
    ],
    ['a path', store({ secrets: [{ name: 'a', items: [{ key: 'k', file: '../f' }] }] }), /must be the name of a file/],
    ['two dots', store({ secrets: [{ name: 'a', items: [{ key: 'k', file: '..' }] }] }), /must be the name of a file/],
    ['no Secret', store({ secrets: [{ name: 'A_b' }] }), /must be the name of a Secret/],
    ['a Secret twice', store({ secrets: [{ name: 'a' }, { name: 'a' }] }), /duplicate entries for key/],
    ['no namespace', store({ allowedNamespaces: ['Shop'] }), /must be the name of a namespace, or \* for all/],
    ['a misspelt field', store({ secret: [] }), /unknown field "spec\.secret"|field not declared in schema/],
  ];

  it.each(cases)('with %s', async (_, object, message) => {
    await expect(apply(object)).rejects.toThrow(message);
  });
});

describe('the status', () => {
  it('is written apart from the spec, merges conditions by their type, and fills the columns', async () => {
    const { run } = theCluster();
    const name = 'shown';
    const condition = `\${request.method == 'GET'}`;
    await apply({ kind: 'Route', name, spec: { handler: 'ReverseProxyHandler', condition } });
    const writeStatus = (manager: string, status: object): Promise<string> =>
      run(
        ['apply', ...strict, '--subresource=status', `--field-manager=${manager}`, '-f', '-'],
        JSON.stringify({ apiVersion, kind: 'Route', metadata: { name, namespace }, status }),
      );
    const told = (type: string, status: string): object => ({
      type,
      status,
      reason: type,
      message: `${type} is told`,
      observedGeneration: 1,
      lastTransitionTime: '2026-01-02T03:04:05Z',
    });
    await writeStatus('one', {
      observedGeneration: 1,
      conditions: [told('Accepted', 'True'), told('Programmed', 'False')],
      programmed: '2/3',
      lastGood: { generation: 1, hash: 'abc' },
    });
    await writeStatus('two', { conditions: [told('ResolvedRefs', 'True')] });
    await writeStatus('one', { conditions: [told('Accepted', 'False')], programmed: '3/3 (gen 1)' });
    const kept = JSON.parse(await run(['get', 'gwr', name, '-n', namespace, '-o', 'json'])) as {
      metadata: { generation: number };
      status: { conditions: { type: string; status: string }[] };
    };
    expect(kept.metadata.generation).toBe(1);
    expect(kept.status.conditions.map(({ type, status }) => [type, status]).toSorted()).toEqual([
      ['Accepted', 'False'],
      ['ResolvedRefs', 'True'],
    ]);
    const rows = (await run(['get', 'gwr', name, '-n', namespace])).trim().split('\n');
    expect(rows[0]!.split(/\s+/)).toEqual(['NAME', 'ACCEPTED', 'PROGRAMMED', 'CONDITION', 'AGE']);
    expect(rows[1]).toMatch(/^shown +False +3\/3 \(gen 1\) +\$\{request\.method == 'GET'\} +\d+/);
    const wide = await run(['get', 'gwr', name, '-n', namespace, '-o', 'wide']);
    expect(wide).toContain('Accepted is told');
  });

  it('cannot be set together with the spec', async () => {
    const { run } = theCluster();
    const spec = { handler: 'ReverseProxyHandler' };
    const body = {
      apiVersion,
      kind: 'Route',
      metadata: { name: 'bold', namespace },
      spec,
      status: { programmed: '9/9' },
    };
    await run(['create', '-f', '-'], JSON.stringify(body));
    expect(await run(['get', 'gwr', 'bold', '-n', namespace, '-o', 'jsonpath={.status}'])).toBe('');
  });
});
