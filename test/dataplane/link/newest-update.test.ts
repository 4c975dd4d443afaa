import { describe, expect, it } from 'vitest';
import type { BaseEntry, RouteEntry, SourceVersion } from '../../../contract/snapshot.ts';
import { builtHolding, type Holding, heldBy } from '../../../dataplane/link/holding.ts';
import { type NewestUpdate, newestUpdate, type WholeUpdate } from '../../../dataplane/link/newest-update.ts';
import { forbidding } from '../../support/channel/forbidden-resource.ts';
import { sharedStore } from '../../support/channel/shared-store.ts';
import { wholeUpdate } from '../../support/channel/whole-update.ts';

/** `uid@version uid@version` */
function versions(text: string): SourceVersion[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const [uid = '', resourceVersion = ''] = word.split('@');
      return { uid, resourceVersion };
    });
}

/** `id#hash` with the sources it was made from. */
function route(word: string, sources = ''): RouteEntry {
  const [id = '', hash = ''] = word.split('#');
  return { router: 'r', id, name: id, document: {}, hash, ...(sources === '' ? {} : { sources: versions(sources) }) };
}

function base(hash: string, sources = ''): BaseEntry {
  return { document: {}, hash, sources: versions(sources) };
}

const empty: Holding = {
  revision: 'old',
  base: base('b1', 'cm@10'),
  routes: new Map(),
  defaults: [],
  gone: new Map(),
  unbuilt: new Set(),
  resources: new Map(),
};

/** What a plane holds after these routes came. */
function holding(...routes: RouteEntry[]): Holding {
  return judged(empty, { set: routes }).wanted;
}

function judged(held: Holding | null, parts: Partial<WholeUpdate>): NewestUpdate {
  return newestUpdate(held, wholeUpdate(parts))!;
}

/** What is held, what changes and what was newer, as words. */
function told({ wanted, update, newer }: NewestUpdate): {
  held: string[];
  set: string[];
  gone: string[];
  newer: string[];
} {
  const ids = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id);
  return {
    held: [...wanted.routes.values()].map(({ id, hash }) => `${id}#${hash}`).sort(),
    set: ids(update.set),
    gone: ids(update.remove),
    newer: ids(newer),
  };
}

describe('an added route', () => {
  it.each<[string, held: RouteEntry[], incoming: RouteEntry, taken: boolean]>([
    ['is taken where there was none', [], route('a#2', 'R@5'), true],
    ['is taken when its resource is newer', [route('a#1', 'R@5')], route('a#2', 'R@6'), true],
    ['is left when its resource is older', [route('a#1', 'R@6')], route('a#2', 'R@5'), false],
    ['compares versions as numbers', [route('a#1', 'R@9')], route('a#2', 'R@10'), true],
    ['compares long versions as numbers', [route('a#1', 'R@10')], route('a#2', 'R@9'), false],
    ['is taken when a Secret is newer', [route('a#1', 'R@5 S@7')], route('a#2', 'R@5 S@8'), true],
    ['is left when a Secret is older', [route('a#1', 'R@5 S@8')], route('a#2', 'R@5 S@7'), false],
    ['is taken when one is older and another newer', [route('a#1', 'R@5 S@8')], route('a#2', 'R@6 S@7'), true],
    ['is taken when it refers to something else', [route('a#1', 'R@5 S@8')], route('a#2', 'R@5 T@1'), true],
    ['is taken when its resource was made anew', [route('a#1', 'R@5')], route('a#2', 'Q@9'), true],
    ['is left when it was made from the resource before', [route('a#1', 'Q@9')], route('a#2', 'R@5'), false],
    ['is taken where nobody knows versions', [route('a#1')], route('a#2'), true],
  ])('%s', (_, held, incoming, isTaken) => {
    const before = holding(...held);
    const result = told(judged(before, { set: [incoming] }));
    expect(result.held).toEqual(isTaken ? ['a#2'] : ['a#1']);
    expect(result.set).toEqual(isTaken ? ['a'] : []);
    expect(result.newer).toEqual(isTaken ? [] : ['a']);
  });

  it('is not rebuilt when it is unchanged, and gets the newer version', () => {
    const first = judged(holding(route('a#1', 'R@5')), { set: [route('a#1', 'R@8')] });
    expect(told(first)).toMatchObject({ set: [], newer: [] });
    expect(told(judged(first.wanted, { set: [route('a#2', 'R@7')] }))).toMatchObject({ held: ['a#1'], newer: ['a'] });
  });

  it('is ignored by a data plane that runs exactly this version', () => {
    expect(told(judged(holding(route('a#1', 'R@5')), { set: [route('a#1', 'R@4')] }))).toMatchObject({ newer: [] });
  });
});

describe('a removed route', () => {
  const held = holding(route('a#1', 'R@15 S@20'), route('b#1', 'B@6'));
  it.each<[string, Partial<WholeUpdate>, gone: string[], newer: string[]]>([
    ['with a newer version', { remove: [{ router: 'r', id: 'a', source: versions('R@19')[0]! }] }, ['a'], []],
    ['with an older version', { remove: [{ router: 'r', id: 'a', source: versions('R@4')[0]! }] }, [], ['a']],
    ['at the version that is held', { remove: [{ router: 'r', id: 'a', source: versions('R@15')[0]! }] }, ['a'], []],
    ['as another one of its name', { remove: [{ router: 'r', id: 'a', source: versions('Q@4')[0]! }] }, [], ['a']],
    ['where nobody knows versions', { remove: [{ router: 'r', id: 'a' }] }, ['a'], []],
    ['as somebody says who has seen all', { remove: [{ router: 'r', id: 'a' }], seen: '15' }, ['a'], []],
    ['as somebody says who has not seen it', { remove: [{ router: 'r', id: 'a' }], seen: '14' }, [], ['a']],
    ['and is not there', { remove: [{ router: 'r', id: 'x' }] }, [], []],
    ['because all does, although what it refers to is newer', { full: true, seen: '15' }, ['a', 'b'], []],
    ['because all does that was seen', { full: true, seen: '10' }, ['b'], ['a']],
    ['but is named', { full: true, seen: '99', set: [route('a#1', 'R@15 S@20')] }, ['b'], []],
    ['but is to be kept', { full: true, seen: '99', keep: [{ router: 'r', id: 'a', hash: '1' }] }, ['b'], []],
    ['where there is no cluster', { full: true, seen: null }, ['a', 'b'], []],
  ])('is removed or kept: %s', (_, parts, gone, newer) => {
    const result = told(judged(held, parts));
    expect(result.gone).toEqual(gone);
    expect(result.newer).toEqual(newer);
    expect(result.held).toEqual(['a#1', 'b#1'].filter((word) => !gone.includes(word[0]!)));
  });

  it('is not restored by a stale controller', () => {
    const gone = judged(held, { remove: [{ router: 'r', id: 'a', source: versions('R@19')[0]! }] }).wanted;
    expect(told(judged(gone, { set: [route('a#1', 'R@5')] }))).toMatchObject({ held: ['b#1'], newer: ['a'] });
    expect(told(judged(gone, { set: [route('a#2', 'R@19')] }))).toMatchObject({ held: ['a#2', 'b#1'], newer: [] });
    expect(told(judged(gone, { set: [route('a#3', 'Q@22')] }))).toMatchObject({ held: ['a#3', 'b#1'], newer: [] });
  });

  it('is not restored either if it never existed here', () => {
    const gone = judged(empty, { remove: [{ router: 'r', id: 'a', source: versions('R@9')[0]! }] }).wanted;
    expect(told(judged(gone, { set: [route('a#1', 'R@5')] }))).toMatchObject({ held: [], newer: ['a'] });
  });

  it('is remembered within bounds', () => {
    const remove = Array.from({ length: 10_001 }, (_, i) => ({
      router: 'r',
      id: `x${i}`,
      source: { uid: `u${i}`, resourceVersion: '9' },
    }));
    const { gone } = judged(empty, { remove }).wanted;
    expect([gone.size, gone.has('u0'), gone.has('u10000')]).toEqual([10_000, false, true]);
  });
});

describe('the base', () => {
  it.each<[string, BaseEntry | null, wanted: string, changes: boolean]>([
    ['stays when nothing is said of it', null, 'b1', false],
    ['stays when it is the same', base('b1', 'cm@11'), 'b1', false],
    ['is replaced by a newer one', base('b2', 'cm@11'), 'b2', true],
    ['is not replaced by an older one', base('b0', 'cm@9'), 'b1', false],
  ])('%s', (_, incoming, wanted, changes) => {
    const { update, wanted: next } = judged(empty, { base: incoming });
    expect(next.base.hash).toBe(wanted);
    expect(update.base !== null).toBe(changes);
  });

  it('has its own default handlers', () => {
    const held = { ...empty, defaults: ['kept'] };
    expect(judged(held, { base: base('b0', 'cm@9'), defaults: ['older'] }).wanted.defaults).toEqual(['kept']);
    expect(judged(held, { base: base('b2', 'cm@12'), defaults: ['newer'] }).wanted.defaults).toEqual(['newer']);
    expect(judged(held, { defaults: ['same base'] }).wanted.defaults).toEqual(['same base']);
  });

  it('must be present in the first update', () => {
    expect(newestUpdate(null, wholeUpdate({ set: [route('a#1')] }))).toBeNull();
    expect(judged(null, { base: base('b1'), set: [route('a#1')] }).update).toMatchObject({ base: { hash: 'b1' } });
  });
});

describe('a route to keep', () => {
  it('is reported if it is missing, and is unchanged otherwise', () => {
    const keep = [
      { router: 'r', id: 'a', hash: '7' },
      { router: 'r', id: 'x', hash: '7' },
    ];
    const result = judged(holding(route('a#1', 'R@5')), { full: true, seen: '99', keep });
    expect(result.unheld.map(({ id }) => id)).toEqual(['a', 'x']);
    expect(told(result).held).toEqual(['a#1']);
  });
});

describe('the running state after an update', () => {
  const problem = { code: 'build', severity: 'error', path: [], message: 'no' } as const;
  const failed = (id: string, keepsServing: boolean) => ({
    route: { router: 'r', id },
    problems: [problem],
    keepsServing,
  });

  it('is the version before where the new one could not be built', () => {
    const before = holding(route('a#1'), route('b#1'));
    const { wanted } = judged(before, { set: [route('a#2'), route('b#2')] });
    const after = builtHolding(before, wanted, [failed('a', true)]);
    expect(heldBy(after).routes.map(([, id, hash]) => `${id}#${hash}`)).toEqual(['a#1', 'b#2']);
  });

  it('has no version of a new route until it is built', () => {
    const first = builtHolding(empty, judged(empty, { set: [route('a#1')] }).wanted, [failed('a', false)]);
    expect(heldBy(first).routes).toEqual([['r', 'a', '']]);
    const other = judged(first, { set: [route('b#1')] });
    expect(heldBy(builtHolding(first, other.wanted, [])).routes).toEqual([
      ['r', 'a', ''],
      ['r', 'b', '1'],
    ]);
    const again = judged(first, { set: [route('a#1')] });
    expect(again.update.set).toHaveLength(1);
    // the very same entry, sent again, may be built this time
    expect(heldBy(builtHolding(first, again.wanted, [])).routes).toEqual([['r', 'a', '1']]);
  });

  it('is determined again after a full rebuild', () => {
    const first = builtHolding(empty, judged(empty, { set: [route('a#1')] }).wanted, [failed('a', false)]);
    const { wanted } = judged(first, { base: base('b2', 'cm@12') });
    expect(heldBy(builtHolding(first, wanted, []))).toEqual({ revision: 'new', base: 'b2', routes: [['r', 'a', '1']] });
  });

  it('is nothing at first', () => {
    expect(heldBy(null)).toEqual({ revision: null, base: null, routes: [] });
  });
});

describe('shared resources', () => {
  const one = forbidding('one', '10.0.0.1');
  const held = judged(empty, { resources: { set: [one, forbidding('two', '10.0.0.2')], remove: [] } }).wanted;

  it('are stored by key, and reported to controllers by hash', () => {
    expect(heldBy(held).resources).toEqual([...held.resources.values()].map(({ key, hash }) => [key, hash]));
    expect([...held.resources.keys()]).toEqual(['forbidden/one', 'forbidden/two']);
  });

  it('stay when an update does not mention them, even a full one', () => {
    const { update, wanted } = judged(held, { full: true, base: base('b2', 'cm@11') });
    expect([update.resources, wanted.resources]).toEqual([undefined, held.resources]);
  });

  it('are replaced and removed by key, and kept if they are equal', () => {
    const other = forbidding('two', '10.0.0.3');
    const changes = { set: [one, other], remove: ['forbidden/three'] };
    const { update, wanted } = judged(held, { resources: changes });
    expect(update.resources).toEqual({ set: [other], remove: [] });
    expect(judged(wanted, { resources: { set: [], remove: ['forbidden/one'] } }).wanted.resources).toEqual(
      new Map([['forbidden/two', other]]),
    );
  });

  it('are ignored when they are older than the stored ones', () => {
    const [older, newer] = [
      sharedStore('shop/keys', 'first', undefined, versions('Secret/shop/keys@4')),
      sharedStore('shop/keys', 'second', undefined, versions('Secret/shop/keys@5')),
    ];
    const { wanted } = judged(empty, { resources: { set: [newer], remove: [] } });
    expect(judged(wanted, { resources: { set: [older], remove: [] } }).update.resources).toBeUndefined();
    expect([...wanted.resources.values()]).toEqual([newer]);
  });

  it('that could not be built keep their previous version, also on disk', () => {
    const [before, after] = [sharedStore('shop/keys', 'first'), sharedStore('shop/keys', 'second')];
    const using = { ...route('a#1'), resources: { keys: before.key } };
    const first = judged(empty, { set: [using], resources: { set: [before], remove: [] } }).wanted;
    const { wanted } = judged(first, { resources: { set: [after], remove: [] } });
    const { router, id } = using;
    const failed = { route: { router, id }, problems: [], keepsServing: true, resource: before.key };
    expect(builtHolding(first, wanted, [failed]).resources.get(before.key)).toBe(before);
    expect(builtHolding(first, wanted, []).resources.get(before.key)).toBe(after);
  });

  it('stay as long as a route names them that keeps its version', () => {
    const store = sharedStore('shop/keys', 'first');
    const using = { ...route('a#1'), resources: { keys: store.key } };
    const first = judged(empty, { set: [using], resources: { set: [store], remove: [] } }).wanted;
    const { wanted } = judged(first, { set: [route('a#2')], resources: { set: [], remove: [store.key] } });
    const { router, id } = using;
    const failed = { route: { router, id }, problems: [], keepsServing: true };
    expect([...builtHolding(first, wanted, [failed]).resources.values()]).toEqual([store]);
    expect(builtHolding(first, wanted, []).resources.size).toBe(0);
  });
});
