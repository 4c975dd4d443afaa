import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { routeHash } from '../../../../contract/route-hash.ts';
import type { ResourceVerdict } from '../../../../controller/compile/resources/resource-verdict.ts';
import { CompiledCluster, verdictIn } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';

const good: JsonObject = { condition: "${request.uri.path == '/a'}", ...proxied };
const unavailable: JsonObject = { ...good, handler: { type: 'DesKeyGenHandler' } };
const bad: JsonObject = { ...good, handler: { type: 'StaticResponseHandler', config: { status: 'many' } } };
const vague: JsonObject = { ...bad, condition: '${' };

/** What a verdict comes to, in one line. */
function said({ accepted, resolvedRefs, serves, servingGeneration, route }: ResourceVerdict): string {
  const what = route === null ? 'none' : route.refuses ? 'refusal' : `route of ${route.generation}`;
  return `${accepted.reason} ${resolvedRefs.reason} ${serves} ${servingGeneration} ${what}`;
}

describe('which version of a Route serves', () => {
  it.each<[string, readonly JsonObject[], string]>([
    ['one that is sound', [good], 'Accepted ResolvedRefs this 1 route of 1'],
    ['one that never was', [bad], 'Invalid ResolvedRefs refuses null refusal'],
    ['one whose condition cannot be read', [vague], 'Invalid ResolvedRefs nothing null none'],
    ['one that was sound', [good, bad], 'Invalid ResolvedRefs last-good 1 route of 1'],
    ['one that was sound two generations ago', [good, bad, vague], 'Invalid ResolvedRefs last-good 1 route of 1'],
    ['one that is sound again', [good, bad, good], 'Accepted ResolvedRefs this 3 route of 3'],
    ['one that asks to refuse', [good, { ...bad, onInvalid: 'Refuse' }], 'Invalid ResolvedRefs refuses null refusal'],
    [
      'one that asks to refuse and was readable',
      [good, { ...vague, onInvalid: 'Refuse' }],
      'Invalid ResolvedRefs refuses null refusal',
    ],
    ['a wrong onInvalid', [good, { ...good, onInvalid: 'Hope' }], 'Invalid ResolvedRefs last-good 1 route of 1'],
    ['planes that cannot be read', [{ ...good, dataPlanes: 'all' }], 'Invalid ResolvedRefs nothing null none'],
    ['misspelt planes', [{ ...good, dataplanes: {} }], 'Invalid ResolvedRefs nothing null none'],
    ['a misspelt onInvalid', [good, { ...good, oninvalid: 'Refuse' }], 'Invalid ResolvedRefs last-good 1 route of 1'],
    ['a remark of its writer', [{ ...good, team: 'shop' }], 'Accepted ResolvedRefs this 1 route of 1'],
    ['an id of its own', [{ ...good, _id: 'x' }], 'Invalid ResolvedRefs refuses null refusal'],
    ['the name of the default handler', [{ ...good, name: 'default' }], 'Invalid ResolvedRefs nothing null none'],
    ['a session of nobody', [good, { ...good, session: 'S' }], 'Invalid ResolvedRefs last-good 1 route of 1'],
    ['a type that is not available', [good, unavailable], 'NotAvailable ResolvedRefs last-good 1 route of 1'],
  ])('is decided for %s', (_, generations, expected) => {
    const cluster = new CompiledCluster();
    for (const spec of generations) cluster.route('shop/a', spec).compile();
    expect(said(cluster.verdict('shop/a'))).toBe(expected);
  });

  it('uses the default of the operator if a Route does not set onInvalid', () => {
    const cluster = new CompiledCluster().base('trust', { onInvalid: 'Refuse' }).route('shop/a', good);
    cluster.compile();
    expect(said(cluster.route('shop/a', bad).verdict('shop/a'))).toContain('refuses');
    const keeps = cluster.route('shop/a', { ...bad, onInvalid: 'KeepLastGood' }).verdict('shop/a');
    expect(said(keeps)).toContain('last-good 1');
  });

  it('reports the problem with its path and the serving version', () => {
    const cluster = new CompiledCluster().route('shop/a', good);
    cluster.compile();
    const { accepted } = cluster.route('shop/a', bad).verdict('shop/a');
    expect(accepted.message).toMatch(/^spec\.handler\.config\.status: .*; generation 1 keeps serving$/);
  });

  it('suggests the intended name of a misspelt field', () => {
    const { accepted } = new CompiledCluster().route('shop/a', { ...good, dataplanes: {} }).verdict('shop/a');
    expect(accepted.message).toContain(
      "spec.dataplanes: there is no field 'dataplanes' here (did you mean 'dataPlanes'?)",
    );
  });

  it('keeps the planes of the version that serves', () => {
    const blue = { matchLabels: { colour: 'blue' } };
    const cluster = new CompiledCluster().route('shop/a', { ...good, dataPlanes: blue });
    cluster.compile();
    const { dataPlanes } = cluster.route('shop/a', bad).verdict('shop/a');
    expect(dataPlanes).toEqual({ ...blue, matchExpressions: [] });
  });

  it('does not use the good version of a Route for another Route of the same name', () => {
    const cluster = new CompiledCluster().route('shop/a', good);
    cluster.compile();
    expect(said(cluster.route('shop/a', bad, { uid: 'another' }).verdict('shop/a'))).toContain('refuses');
  });

  it('validates the previous version again, because its references may be gone', () => {
    const hello = { name: 'hello', type: 'StaticResponseHandler', config: { status: 200 } };
    const config = { heap: [{ name: '_router', type: 'Router' }, hello], handler: '_router' };
    const cluster = new CompiledCluster().base('config', config).route('shop/a', { ...good, handler: 'hello' });
    cluster.compile();
    expect(said(cluster.route('shop/a', bad).verdict('shop/a'))).toContain('last-good 1');
    cluster.base('config', { heap: [{ name: '_router', type: 'Router' }], handler: '_router' });
    const after = cluster.verdict('shop/a');
    expect(said(after)).toContain('refuses');
    expect(after.accepted.message).toContain('generation 1 cannot serve any more');
  });

  it('does not affect other Routes', () => {
    const cluster = new CompiledCluster().route('shop/a', bad).route('shop/b', { ...good, name: 'b' });
    expect(said(cluster.verdict('shop/b'))).toContain('this 1');
  });

  it('cuts a long message off', () => {
    const heap = Array.from({ length: 300 }, (_, at) => ({ name: `object-${at}`, type: `Missing${'x'.repeat(50)}` }));
    const { accepted } = new CompiledCluster().route('shop/a', { ...good, heap }).verdict('shop/a');
    expect(accepted.message.length).toBeLessThanOrEqual(4096);
    expect(accepted.message).toMatch(/… and \d+ more problems; its requests are rejected with 500$/);
  });
});

describe('names', () => {
  const named = (path: string): JsonObject => ({
    ...good,
    name: 'one',
    condition: `\${request.uri.path == '${path}'}`,
  });

  it('belong to the older Route of a tenant', () => {
    const cluster = new CompiledCluster()
      .route('b/young', named('/y'), { created: '2026-02-02T00:00:00Z' })
      .route('c/old', named('/o'), { created: '2026-01-01T00:00:00Z' });
    const compilation = cluster.compile();
    expect(said(verdictIn(compilation, 'c/old'))).toContain('Accepted ResolvedRefs this');
    expect(said(verdictIn(compilation, 'b/young'))).toBe('NameTaken ResolvedRefs nothing null none');
    expect(verdictIn(compilation, 'b/young').accepted.message).toContain('the Route c/old');
    expect(compilation.snapshot?.routes.map(({ id }) => id)).toEqual(['c.old']);
  });

  it('belong to the first by namespace and name of those of one age', () => {
    const compilation = new CompiledCluster().route('b/one', named('/b')).route('a/two', named('/a')).compile();
    expect(said(verdictIn(compilation, 'b/one'))).toContain('NameTaken');
    expect(said(verdictIn(compilation, 'a/two'))).toContain('Accepted');
  });

  it('are free again when their Route is deleted', () => {
    const cluster = new CompiledCluster().route('a/one', named('/a')).route('b/two', named('/b'));
    expect(said(cluster.verdict('b/two'))).toContain('NameTaken');
    cluster.routes.delete('a/one');
    expect(said(cluster.verdict('b/two'))).toBe('Accepted ResolvedRefs this 1 route of 1');
    expect(said(cluster.route('b/two', bad).verdict('b/two'))).toContain('last-good 1');
  });

  it('keep the previous version when a new name is already used', () => {
    const cluster = new CompiledCluster().route('a/one', named('/a')).route('b/two', { ...good, name: 'two' });
    cluster.compile();
    expect(said(cluster.route('b/two', named('/b')).verdict('b/two'))).toBe(
      'NameTaken ResolvedRefs last-good 1 route of 1',
    );
  });

  it('are unique within a tenant only', () => {
    const tenants = [
      { name: 'a', namespaces: ['a'], hosts: ['a.example'] },
      { name: 'b', namespaces: ['b'], hosts: ['b.example'] },
    ];
    const cluster = new CompiledCluster().base('trust', { tenants });
    const { snapshot } = cluster.route('a/one', named('/a')).route('b/two', named('/b')).compile();
    expect(snapshot?.routes.map(({ id, tenant }) => `${id} ${tenant}`)).toEqual(['a.one a', 'b.two b']);
  });
});

describe('tenants', () => {
  const tenants = [{ name: 'shops', namespaces: ['shop'], hosts: ['shop.example'] }];

  it('are those whose namespace is listed', () => {
    const cluster = new CompiledCluster().base('trust', { tenants }).route('shop/a', good).route('other/b', good);
    const compilation = cluster.compile();
    expect(verdictIn(compilation, 'shop/a').route?.tenant).toBe('shops');
    expect(said(verdictIn(compilation, 'other/b'))).toBe('HostNotGranted ResolvedRefs nothing null none');
    expect(compilation.snapshot?.base.trust?.tenants).toEqual([{ name: 'shops', hosts: ['shop.example'] }]);
  });

  it('lose their Routes with their grant, and get them back with it', () => {
    const cluster = new CompiledCluster().base('trust', { tenants }).route('shop/a', good);
    cluster.compile();
    cluster.base('trust', { tenants: [{ ...tenants[0]!, namespaces: ['other'] }] });
    expect(said(cluster.verdict('shop/a'))).toBe('HostNotGranted ResolvedRefs nothing null none');
    expect(cluster.compile().snapshot?.routes).toEqual([]);
    expect(said(cluster.base('trust', { tenants }).verdict('shop/a'))).toBe('Accepted ResolvedRefs this 1 route of 1');
  });
});

describe('a permission that an operator withdrew', () => {
  const entity = (text: string): JsonObject => ({
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: text } },
  });
  const accepted = (spec: JsonObject): CompiledCluster => {
    const cluster = new CompiledCluster().base('trust', { tokens: { key: 'sesame', other: 'x' } });
    cluster.route('shop/a', spec).compile();
    return cluster;
  };

  it('is not served from the version before: a token', () => {
    const cluster = accepted(entity('&{key}')).base('trust', { tokens: { other: 'x' } });
    expect(cluster.verdict('shop/a')).toMatchObject({ serves: 'refuses', accepted: { status: false } });
    const { lastGood } = cluster.verdict('shop/a');
    cluster.touch('shop/a', { lastGood: lastGood ?? null });
    expect(cluster.restart().verdict('shop/a').serves).toBe('refuses');
  });

  it('is not kept by an invalid edit', () => {
    const cluster = accepted(entity('&{key}')).route('shop/a', entity('${'));
    expect(cluster.verdict('shop/a').serves).toBe('last-good');
    expect(cluster.base('trust', { tokens: { key: 'changed' } }).verdict('shop/a').serves).toBe('refuses');
  });

  it('does not affect versions without tokens, nor edits that need one', () => {
    const plain = accepted(entity('plain')).route('shop/a', entity('${'));
    expect(plain.base('trust', { tokens: {} }).verdict('shop/a').serves).toBe('last-good');
    expect(accepted(entity('&{key}')).route('shop/a', entity('&{typo}')).verdict('shop/a').serves).toBe('last-good');
  });
});

describe('the version that was accepted last, after a restart of the controller', () => {
  it('is with planes, by its hash, until one sends it', () => {
    const cluster = new CompiledCluster().route('shop/a', { ...good, properties: { x: 1 } });
    const before = cluster.verdict('shop/a').route!;
    cluster
      .touch('shop/a', { lastGood: { generation: 1, hash: before.hash } })
      .route('shop/a', bad)
      .restart();
    const remembered = cluster.compile();
    const verdict = verdictIn(remembered, 'shop/a');
    expect(verdict).toMatchObject({ serves: 'last-good', servingGeneration: 1, lastGood: { hash: before.hash } });
    expect(verdict.remembered).toMatchObject({ id: 'shop.a', hash: before.hash, fallback: { refuses: true } });
    expect(remembered.resources?.remembered).toEqual([verdict.remembered]);
    expect(remembered.snapshot?.routes).toEqual([]);
    expect(cluster.compiler.recalled(before)).toBe(true);
    const after = cluster.verdict('shop/a');
    expect(said(after)).toBe('Invalid ResolvedRefs last-good 1 route of 1');
    expect(after.route?.hash).toBe(before.hash);
    expect(after.remembered).toBeUndefined();
  });

  it('cannot be forged by a data plane', () => {
    const cluster = new CompiledCluster().route('shop/a', good);
    const before = cluster.verdict('shop/a').route!;
    cluster
      .touch('shop/a', { lastGood: { generation: 1, hash: before.hash } })
      .route('shop/a', bad)
      .restart()
      .compile();
    const open = { ...before, document: proxied };
    expect(cluster.compiler.recalled(open)).toBe(false);
    expect(cluster.compiler.recalled({ ...open, hash: routeHash(open) })).toBe(false);
    expect(cluster.compiler.recalled({ ...before, id: 'shop.other' })).toBe(false);
    expect(cluster.verdict('shop/a').remembered).toBeDefined();
  });

  it('is not requested by a Route with onInvalid Refuse', () => {
    const cluster = new CompiledCluster().route('shop/a', good);
    const { hash } = cluster.verdict('shop/a').route!;
    cluster.touch('shop/a', { lastGood: { generation: 1, hash } }).route('shop/a', { ...bad, onInvalid: 'Refuse' });
    expect(said(cluster.restart().verdict('shop/a'))).toContain('refuses null refusal');
  });
});

describe('the base', () => {
  it.each<[string, 'config' | 'admin' | 'trust', JsonObject]>([
    ['config.json', 'config', { handler: 'nobody' }],
    ['admin.json', 'admin', { connectors: 'many' }],
    ['trust.json', 'trust', { tenants: 'all' }],
  ])('serves nothing until there is a valid %s', (file, name, broken) => {
    const cluster = new CompiledCluster().base(name, broken).route('shop/a', good);
    const compilation = cluster.compile();
    const verdict = verdictIn(compilation, 'shop/a');
    expect(compilation.snapshot).toBeNull();
    expect(said(verdict)).toBe('BaseConfigurationInvalid Pending waits null none');
    expect(verdict.accepted.message).toContain(`${file} is not valid`);
    expect(said(cluster.base(name, null).verdict('shop/a'))).toContain('this 1');
  });

  it.each<[string, 'config' | 'admin' | 'trust', JsonObject]>([
    ['config.json', 'config', { handler: 'nobody' }],
    ['admin.json', 'admin', { connectors: 'many' }],
    ['trust.json', 'trust', { tenants: 'all' }],
  ])('stays unchanged when %s becomes invalid', (_, name, broken) => {
    const cluster = new CompiledCluster().route('shop/a', good);
    const before = cluster.compile().snapshot;
    const { snapshot } = cluster.base(name, broken).compile();
    expect(snapshot?.revision).toBe(before?.revision);
  });

  it('keeps its tenants when trust.json is removed', () => {
    const tenants = [{ name: 'shops', namespaces: ['shop'], hosts: ['shop.example'] }];
    const cluster = new CompiledCluster().base('trust', { tenants }).route('other/b', good);
    cluster.compile();
    const { resources } = cluster.base('trust', null).compile();
    expect(resources?.trustProblems.map(({ message }) => message)).toEqual(['the file is missing']);
    expect(said(cluster.verdict('other/b'))).toContain('HostNotGranted');
  });

  it('reports a router that reads a directory', () => {
    const routers = [
      { name: '_router', type: 'Router' },
      { name: 'more', type: 'Router', config: { directory: '/more' } },
    ];
    const { verdicts } = new CompiledCluster().base('config', { heap: routers, handler: '_router' }).compile();
    const problems = verdicts.flatMap(({ problems: found }) => found.map(({ path }) => path.join('.')));
    expect(problems).toContain('heap.1.config.directory');
  });
});
