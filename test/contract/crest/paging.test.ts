import { describe, expect, it } from 'vitest';
import { PageCookies } from '../../../contract/crest/page-cookie.ts';
import { readQueryFilter } from '../../../contract/crest/query-filter.ts';
import { queryResources } from '../../../contract/crest/query-resources.ts';
import type { ResourceQuery } from '../../../contract/crest/resource-query.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { Random } from '../../fuzz/random.ts';

const cookies = new PageCookies(Buffer.from('a key'));
const BY_AGE = [{ field: ['age'], isDescending: false }];

function query(changes: Partial<ResourceQuery> & { readonly text?: string } = {}): ResourceQuery {
  const { text = 'true', ...rest } = changes;
  return {
    selector: { filter: readQueryFilter(text) },
    sortKeys: [],
    pageSize: 0,
    offset: 0,
    cookie: null,
    countPolicy: 'NONE',
    countOnly: false,
    ...rest,
  };
}

const item = (id: string, content: JsonObject = {}) => ({ id, revision: '0', content });
const idsOf = ({ results }: { readonly results: readonly { readonly id: string | null }[] }) =>
  results.map(({ id }) => id);

describe('pages', () => {
  it('neither repeat nor miss a resource that stays while others come and go', () => {
    for (let seed = 0; seed < 100; seed++) {
      const random = Random.of(seed, 'pages', seed);
      const held = new Map(Array.from({ length: 40 }, (_, at) => [`i${at}`, item(`i${at}`, { age: at % 5 })]));
      const staying = new Set([...held.keys()].filter(() => random.once(2)));
      const seen: string[] = [];
      let cookie: string | null = null;
      do {
        const page = queryResources([...held.values()], query({ sortKeys: BY_AGE, pageSize: 3, cookie }), cookies, 'c');
        seen.push(...page.results.map(({ id }) => id!));
        cookie = page.cookie;
        for (const id of held.keys()) if (!staying.has(id) && random.once(6)) held.delete(id);
        held.set(`n${random.below(1000)}`, item(`n${random.below(1000)}`, { age: random.below(5) }));
      } while (cookie !== null);
      expect(new Set(seen).size).toBe(seen.length);
      expect([...staying].filter((id) => !seen.includes(id))).toEqual([]);
    }
  });

  it('are in the order of ids without sort keys, and all results are in the order of the collection', () => {
    const all = [item('b'), item('a'), item('c')];
    expect(idsOf(queryResources(all, query(), cookies, 'c'))).toEqual(['b', 'a', 'c']);
    expect(idsOf(queryResources(all, query({ pageSize: 2 }), cookies, 'c'))).toEqual(['a', 'b']);
  });

  it('belong to one query of one collection under one key', () => {
    const all = [item('a', { age: 1 }), item('b', { age: 2 })];
    const first = query({ sortKeys: BY_AGE, pageSize: 1 });
    const { cookie } = queryResources(all, first, cookies, 'c');
    const next = (changes: Parameters<typeof query>[0], collection = 'c', by = cookies) =>
      queryResources(all, query({ sortKeys: BY_AGE, pageSize: 1, cookie, ...changes }), by, collection);
    expect(idsOf(next({}))).toEqual(['b']);
    const foreign = '_pagedResultsCookie does not belong to this query';
    expect(() => next({ text: 'age pr' })).toThrow(foreign);
    expect(() => next({ sortKeys: [] })).toThrow(foreign);
    expect(() => next({}, 'd')).toThrow(foreign);
    expect(() => next({}, 'c', new PageCookies(Buffer.from('another key')))).toThrow(foreign);
    expect(() => next({ cookie: `x${cookie}` })).toThrow(foreign);
    expect(() => next({ cookie: '.' })).toThrow(foreign);
    expect(() => next({ cookie: 'x'.repeat(20_000) })).toThrow(foreign);
  });

  it('count without results', () => {
    const all = [item('a', { age: 1 }), item('b', { age: 2 })];
    const page = queryResources(all, query({ text: 'age gt 1', countOnly: true }), cookies, 'c');
    expect(page).toMatchObject({ results: [], count: 1, total: 1, countPolicy: 'EXACT' });
  });

  it('have cookies that show neither ids nor values, and not their lengths', () => {
    const cookieOf = (id: string, age: string): string => {
      const all = [item(id, { age }), item('zz', { age: 'zz' })];
      return queryResources(all, query({ sortKeys: BY_AGE, pageSize: 1 }), cookies, 'c').cookie!;
    };
    const cookie = cookieOf('hidden-id', 'hidden-age');
    const forms = [cookie, ...cookie.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))];
    for (const form of forms) expect(form).not.toContain('hidden');
    expect(cookieOf('a', 'b').length).toBe(cookie.length);
    expect(cookieOf('hidden-id', 'hidden-age')).not.toBe(cookie);
  });

  it('have cookies of bounded length', () => {
    const all = [item('a', { age: 'x'.repeat(100_000) }), item('b', { age: 'y' })];
    const { cookie } = queryResources(all, query({ sortKeys: BY_AGE, pageSize: 1 }), cookies, 'c');
    expect(cookie!.length).toBeLessThan(1000);
  });
});

describe('a query', () => {
  it('refuses a filter that takes too long on a large collection', () => {
    const all = Array.from({ length: 5000 }, (_, at) => item(`${at}`));
    expect(() => queryResources(all, query({ text: `${'a eq 1 or '.repeat(500)}true` }), cookies, 'c')).toThrow(
      'the filter is too long',
    );
  });

  it.each<[what: string, name: string, content: JsonObject]>([
    ['a long text', 'a', { a: 'x'.repeat(1_000_000) }],
    ['a long array', 'a', { a: Array.from({ length: 9000 }, () => 'x') }],
    ['a resource with many members', '/', Object.fromEntries(Array.from({ length: 9000 }, (_, at) => [`m${at}`, 0]))],
  ])('does not compare %s again and again', (_, name, content) => {
    const all = [item('a', content), item('b', content)];
    const compared = (times: number) =>
      queryResources(all, query({ text: `${`${name} eq "y" or `.repeat(times)}false` }), cookies, 'c');
    expect(() => compared(600)).toThrow('the query looks at too much data');
    expect(compared(3).results).toEqual([]);
  });

  it('does not sort by long objects again and again', () => {
    const all = [item('a', { a: { b: 'x'.repeat(1_000_000) } }), item('b', { a: { b: ['x'.repeat(1_000_000)] } })];
    const sorted = (times: number, field: readonly string[]) =>
      queryResources(all, query({ sortKeys: Array(times).fill({ field, isDescending: false }) }), cookies, 'c');
    for (const field of [['a'], [], ['a', 'b']]) expect(sorted(1, field).results.length).toBe(2);
    for (const field of [['a'], []]) expect(() => sorted(20, field)).toThrow('the query looks at too much data');
  });

  it('sorts by type, without regard to case, and puts missing values last', () => {
    const values = { n: 2, s: 'b', S: 'A', t: true, none: null, list: ['z', 'Aa'], empty: [] };
    const all = Object.entries(values).map(([id, age]) => item(id, { age }));
    const sorted = (isDescending: boolean) =>
      idsOf(queryResources(all, query({ sortKeys: [{ field: ['age'], isDescending }] }), cookies, 'c'));
    expect(sorted(false)).toEqual(['t', 'n', 'S', 'list', 's', 'empty', 'none']);
    expect(sorted(true)).toEqual(['s', 'list', 'S', 'n', 't', 'empty', 'none']);
  });
});
