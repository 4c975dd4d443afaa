import { describe, expect, it } from 'vitest';
import { matchesFilter } from '../../../contract/crest/filter-match.ts';
import { PageCookies } from '../../../contract/crest/page-cookie.ts';
import { readParameters } from '../../../contract/crest/parameters.ts';
import { readQueryFilter } from '../../../contract/crest/query-filter.ts';
import { queryResources } from '../../../contract/crest/query-resources.ts';
import { type ResourceQuery, readQuery } from '../../../contract/crest/resource-query.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { Random } from '../../fuzz/random.ts';

interface Item {
  readonly id: string;
  readonly revision: string;
  readonly content: JsonObject;
}

const cookies = new PageCookies(Buffer.from('a key'));
const RANKS: readonly JsonValue[] = [
  ...[1, 2, -3.5, 'a', 'B', 'b', '', true, false, null, 'é', 'z'.repeat(300), `${'z'.repeat(300)}1`],
  ...[['c', 'A'], [], [null], [2, 'x'], { k: 1 }, [['n']]],
];
const KEYS = ['k', '-k', '%2Bk', 'n,-k', '-n,k', 'missing,k', '-o/k,n', '_id', '-_id', 'k,k', '/'];
const FILTERS = ['true', 'n pr', 'n gt 3', '!(k eq "a")', 'k pr or n eq 1', '_id sw "i1"'];

function queryOf(text: string): ResourceQuery {
  return readQuery(readParameters(text), { major: 2, minor: 2 });
}

function randomItem(random: Random, id: string): Item {
  const content = {
    k: random.pick(RANKS),
    ...(random.once(4) ? {} : { n: random.below(6) }),
    o: { k: random.below(3) },
  };
  return { id, revision: '0', content };
}

/** Order of two values by the words of the specification: type, then value; texts without regard to case. */
function order(a: JsonValue | undefined, b: JsonValue | undefined, isDescending: boolean): number {
  const [one, other] = [rank(a), rank(b)];
  if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
  const types = [typeof one, typeof other] as const;
  const compared = types[0] === types[1] ? (one < other ? -1 : one > other ? 1 : 0) : types[0] < types[1] ? -1 : 1;
  return isDescending ? -compared : compared;
}

function rank(value: JsonValue | undefined): string | number | boolean | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value.toLowerCase().slice(0, 200);
  if (typeof value !== 'object') return value;
  if (!Array.isArray(value)) return rank(JSON.stringify(value));
  const items = (value as readonly JsonValue[]).map((item) => rank(Array.isArray(item) ? JSON.stringify(item) : item));
  return items.filter((item) => item !== null).sort((a, b) => order(a, b, false))[0] ?? null;
}

function fieldOf({ id, revision, content }: Item, field: readonly string[]): JsonValue | undefined {
  let now: JsonValue | undefined = { ...content, _id: id, _rev: revision };
  for (const step of field) now = (now as JsonObject | undefined)?.[step];
  return now;
}

/** All results of a query in their order, by sorting everything. */
function sorted(items: readonly Item[], { selector, sortKeys }: ResourceQuery): string[] {
  const filter = 'filter' in selector ? selector.filter : readQueryFilter('false');
  return items
    .filter(({ id, revision, content }) => matchesFilter(filter, { ...content, _id: id, _rev: revision }))
    .sort((a, b) => {
      for (const { field, isDescending } of sortKeys) {
        const found = order(fieldOf(a, field), fieldOf(b, field), isDescending);
        if (found !== 0) return found;
      }
      return a.id < b.id ? -1 : 1;
    })
    .map(({ id }) => id);
}

function randomQuery(random: Random): string {
  const filter = encodeURIComponent(random.pick(FILTERS));
  return `_queryFilter=${filter}${random.once(4) ? '' : `&_sortKeys=${random.pick(KEYS)}`}`;
}

describe('pages of a random query', () => {
  it('are together what sorting everything gives', () => {
    for (let seed = 0; seed < 400; seed++) {
      const random = Random.of(seed, 'whole', seed);
      const items = random.shuffled(Array.from({ length: random.below(60) }, (_, at) => randomItem(random, `i${at}`)));
      const text = randomQuery(random);
      const size = random.pick([1, 2, 3, 7, 50, 600]);
      const wanted = sorted(items, queryOf(text));
      const seen: string[] = [];
      let cookie = '';
      for (let pages = 0; pages <= items.length + 1; pages++) {
        const more = `&_pageSize=${size}&_totalPagedResultsPolicy=EXACT&_pagedResultsCookie=${encodeURIComponent(cookie)}`;
        const page = queryResources(items, queryOf(`${text}${more}`), cookies, 'c');
        expect([page.total, page.results.length <= size]).toEqual([wanted.length, true]);
        seen.push(...page.results.map(({ id }) => id!));
        if (page.cookie === null) break;
        cookie = page.cookie;
      }
      expect({ seed, text, seen }).toEqual({ seed, text, seen: wanted });
      const offset = random.below(wanted.length + 2);
      const skipped = queryResources(
        items,
        queryOf(`${text}&_pageSize=${size}&_pagedResultsOffset=${offset}`),
        cookies,
        'c',
      );
      expect(skipped.results.map(({ id }) => id)).toEqual(wanted.slice(offset, offset + size));
    }
  });

  it('show each resource that stays once and in order, whatever happens to the others', () => {
    for (let seed = 0; seed < 400; seed++) {
      const random = Random.of(seed, 'changing', seed);
      const held = new Map(Array.from({ length: 40 }, (_, at) => [`i${at}`, randomItem(random, `i${at}`)]));
      const staying = new Map([...held].filter(() => random.once(2)));
      const text = randomQuery(random);
      const seen: string[] = [];
      let cookie = '';
      do {
        const more = `&_pageSize=${random.between(1, 5)}&_pagedResultsCookie=${encodeURIComponent(cookie)}`;
        const page = queryResources(random.shuffled([...held.values()]), queryOf(`${text}${more}`), cookies, 'c');
        seen.push(...page.results.map(({ id }) => id!));
        cookie = page.cookie ?? '';
        for (const id of [...held.keys()]) {
          if (staying.has(id) || !random.once(4)) continue;
          if (random.once(2)) held.delete(id);
          else held.set(id, randomItem(random, id)); // it may move behind or before the page
        }
        const added = `n${random.below(1000)}`;
        held.set(added, randomItem(random, added));
      } while (cookie !== '' && seen.length < 10_000);
      const kept = seen.filter((id) => staying.has(id));
      expect({ seed, text, kept }).toEqual({ seed, text, kept: sorted([...staying.values()], queryOf(text)) });
    }
  });

  it('refuse a cookie that was changed in any character, or has another spelling', () => {
    const items = Array.from({ length: 5 }, (_, at) => randomItem(Random.of(at, 'cookie', at), `i${at}`));
    const { cookie } = queryResources(items, queryOf('_queryFilter=true&_pageSize=2'), cookies, 'c');
    const again = (given: string) => () =>
      queryResources(items, queryOf(`_queryFilter=true&_pageSize=2&_pagedResultsCookie=${given}`), cookies, 'c');
    expect(again(cookie!)).not.toThrow();
    for (let at = 0; at < cookie!.length; at++) {
      const other = cookie![at] === 'A' ? 'B' : 'A';
      expect(again(`${cookie!.slice(0, at)}${other}${cookie!.slice(at + 1)}`)).toThrow('does not belong to this query');
    }
    for (const end of ['=', '.', '%20']) expect(again(`${cookie!}${end}`)).toThrow('does not belong to this query');
  });
});
