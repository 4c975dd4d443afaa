import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { resourceKey } from '../../../../contract/resources/resource.ts';
import type { Compilation } from '../../../../controller/compile/compiler.ts';
import { randomNumbers } from '../../../support/clients/random.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { proxied } from '../../../support/gateways/proxied-route.ts';

const ROUTES = 5000;

function plain(at: number): JsonObject {
  return { condition: `\${request.uri.path == '/${at}'}`, ...proxied };
}

const files: JsonObject = { type: 'FileSystemSecretStore', config: { format: 'PLAIN' }, secrets: [{ name: 'keys' }] };

function using(store: string): JsonObject {
  return { secrets: { stores: [store] }, ...proxied };
}

describe('work', () => {
  it('is one judgement for one change among five thousand Routes', () => {
    const cluster = new CompiledCluster();
    for (let at = 0; at < ROUTES; at++) cluster.route(`shop/r${at}`, plain(at));
    const first = cluster.compile();
    expect(cluster.judged).toHaveLength(ROUTES);
    const second = cluster.compile();
    expect(cluster.judged).toEqual([]);
    expect(second.snapshot?.revision).toBe(first.snapshot?.revision);
    const third = cluster.route('shop/r7', plain(-7)).compile();
    expect(cluster.judged).toEqual(['shop.r7']);
    const before = new Set(second.snapshot?.routes);
    expect(third.snapshot?.routes.filter((route) => !before.has(route)).map(({ id }) => id)).toEqual(['shop.r7']);
    cluster.routes.delete('shop/r8');
    cluster.route('shop/new', plain(-1)).compile();
    expect(cluster.judged).toEqual(['shop.new']);
  });

  it('has the same result at once or step by step', () => {
    const [steps, once] = [new CompiledCluster(), new CompiledCluster()];
    const names = ['c', 'a', 'e', 'b', 'd'];
    for (const name of names) steps.route(`shop/${name}`, { ...plain(1), name: `n-${name}` }).compile();
    steps.routes.delete('shop/e');
    steps.compile();
    for (const name of names.filter((one) => one !== 'e'))
      once.route(`shop/${name}`, { ...plain(1), name: `n-${name}` });
    const [a, b] = [steps.compile(), once.compile()];
    expect(a.snapshot?.routes.map(({ name }) => name)).toEqual(['n-a', 'n-b', 'n-c', 'n-d']);
    expect(a.snapshot?.revision).toBe(b.snapshot?.revision);
  });

  it('is done for all Routes when admin.json names another administrative path', () => {
    const condition = "${find(request.uri.path, '^/ops/')}";
    const cluster = new CompiledCluster().route('shop/a', { condition, ...proxied });
    expect(cluster.verdict('shop/a').problems).toEqual([]);
    cluster.base('admin', { prefix: 'ops' });
    expect(cluster.verdict('shop/a').problems).toMatchObject([
      {
        severity: 'warning',
        path: ['spec', 'condition'],
        message: expect.stringContaining("administrative path '/ops'"),
      },
    ]);
    expect(cluster.judged).toEqual(['shop.a']);
    cluster.base('admin', '{').compile();
    expect(cluster.judged).toEqual([]);
  });

  it('is skipped when only a status changed', () => {
    const cluster = new CompiledCluster().route('shop/a', plain(1));
    const before = cluster.compile().snapshot!;
    const after = cluster.touch('shop/a').compile().snapshot!;
    expect(cluster.judged).toEqual([]);
    expect(after.revision).toBe(before.revision);
    expect(after.routes[0]?.sources?.[0]).not.toEqual(before.routes[0]?.sources?.[0]);
  });

  it('is done for the stores of a Secret when that changes, and for no Route', () => {
    const cluster = new CompiledCluster()
      .store('shop/one', files)
      .store('shop/two', { ...files, secrets: [{ name: 'others' }] })
      .secret('shop/keys', { a: '1' })
      .secret('shop/others', { b: '2' })
      .route('shop/a', using('one'))
      .route('shop/b', using('two'))
      .route('shop/c', plain(3));
    cluster.compile();
    cluster.secret('shop/keys', { a: '3' }).compile();
    expect(cluster.judged).toEqual(['shop/one']);
    const store = cluster.secretStores.get('shop/two')!;
    cluster.secretStores.set('shop/two', { ...store, resourceVersion: '999' });
    cluster.compile();
    expect(cluster.judged).toEqual([]);
  });

  it('is done for a Route when its missing store appears', () => {
    const cluster = new CompiledCluster().route('shop/a', using('one')).route('shop/c', plain(3));
    cluster.compile();
    cluster.store('shop/one', files).secret('shop/keys', { a: '1' }).compile();
    expect(cluster.judged.filter((name) => name === 'shop.c')).toEqual([]);
    expect(cluster.verdict('shop/a').serves).toBe('this');
  });

  it('is skipped for Routes when only tenants and hosts change, and complete when tokens change', () => {
    const tenant = { name: 't', namespaces: ['*'], hosts: ['a.example'] };
    const cluster = new CompiledCluster().base('trust', { tenants: [tenant] }).route('shop/a', plain(1));
    const before = cluster.compile().snapshot!;
    const after = cluster.base('trust', { tenants: [{ ...tenant, name: 'u' }] }).compile().snapshot!;
    expect(cluster.judged).toEqual([]);
    expect(after.routes[0]).toMatchObject({ tenant: 'u' });
    expect(after.routes[0]?.hash).not.toBe(before.routes[0]?.hash);
    expect(after.base.hash).not.toBe(before.base.hash);
    cluster.base('trust', { tenants: [tenant], tokens: { x: 'y' } }).compile();
    expect(cluster.judged).toEqual(['shop.a']);
  });

  it('has the same result as a fresh compilation after any history', () => {
    const random = randomNumbers(7);
    const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
    const cluster = new CompiledCluster();
    for (let step = 0; step < 120; step++) {
      const key = `${pick(['a', 'b'])}/${pick(['one', 'two', 'three', 'four'])}`;
      const spec = pick<JsonObject>([
        { ...plain(step), name: pick(['n', 'm', 'o']) },
        { ...plain(step), handler: 'nobody' },
        { ...plain(step), condition: '${', name: 'n' },
        using('s'),
      ]);
      const day = String(1 + random(9));
      const luck = random(10);
      if (luck < 2) cluster.routes.delete(key);
      else if (luck === 2) cluster.secretStores.delete('a/s');
      else if (luck === 3) cluster.store('a/s', files).secret('a/keys', { k: String(step) });
      else
        cluster.route(key, spec, cluster.routes.has(key) ? {} : { created: `2026-01-0${day}`, uid: `${key} ${step}` });
      const { lastGood } = cluster;
      const [own, other] = [cluster.compile(), cluster.newCompiler().compile(cluster.state, lastGood)];
      expect(outcome(own)).toEqual(outcome(other));
    }
  });
});

/** What is served and what is said, in the order of keys. */
function outcome({ snapshot, resources }: Compilation): string[] {
  const said = resources!.verdicts.map(
    ({ resource, accepted, resolvedRefs, serves }) =>
      `${resourceKey(resource)} ${serves} ${accepted.reason} ${resolvedRefs.reason} ${accepted.message}`,
  );
  return [snapshot!.revision, ...snapshot!.routes.map(({ id, hash }) => `${id} ${hash}`), ...said.sort()];
}
