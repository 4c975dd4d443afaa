import type { JsonValue } from '../document/json-value.ts';
import { compareTexts } from '../route-order.ts';
import { badRequest, CrestError } from './crest-error.ts';
import { filterTest } from './filter-match.ts';
import { filterText } from './filter-text.ts';
import { pointerText } from './json-pointer.ts';
import type { PageCookies, PagePlace } from './page-cookie.ts';
import { firstSorted } from './pages/first-sorted.ts';
import type { QueryFilter } from './query-filter.ts';
import { QueryWork } from './query-work.ts';
import type { Resource } from './resource.ts';
import type { QueryPage, ResourceQuery } from './resource-query.ts';
import { compareRanks, rankReader, type SortKey } from './sort-keys.ts';

/** Comparisons of one query: resources times comparisons in the filter. */
const MOST_COMPARISONS = 1_000_000;

/** Resource with an id, as all resources of a collection have one. */
type Item = Resource & { readonly id: string };

interface Placed extends PagePlace {
  readonly item: Item;
}

/**
 * Answers a query with a filter from all resources of a collection. Without sort keys the resources stay in their order,
 * and pages are in the order of the ids.
 *
 * @param collection tells collections with the same cookie key apart
 * @throws CrestError
 */
export function queryResources(
  resources: readonly Item[],
  query: ResourceQuery,
  cookies: PageCookies,
  collection: string,
): QueryPage {
  const { selector, sortKeys, pageSize, offset } = query;
  if (!('filter' in selector)) throw new CrestError(501, 'only queries with _queryFilter are available');
  const work = new QueryWork();
  const matching = filtered(resources, selector.filter, work);
  if (query.countOnly) return { ...NO_PAGE, countPolicy: 'EXACT', total: matching.length, count: matching.length };
  const isPaged = pageSize > 0;
  const skipped = Math.max(0, offset);
  if (!isPaged && sortKeys.length === 0 && skipped === 0) return { ...NO_PAGE, results: matching };
  const compare = (a: PagePlace, b: PagePlace): number => comparePlaces(a, b, sortKeys);
  const places = placesOf(matching, sortKeys, work);
  if (!isPaged) return { ...NO_PAGE, results: itemsOf(places.sort(compare).slice(skipped)) };
  const binding = bindingOf(collection, selector.filter, sortKeys);
  const before = placeBefore(query, cookies, binding);
  const left = before === null ? places : places.filter((place) => compare(place, before) > 0);
  const page = firstSorted(left, skipped + pageSize, compare).slice(skipped);
  const last = page.at(-1);
  const hasMore = last !== undefined && skipped + page.length < left.length;
  const counts = query.countPolicy !== 'NONE';
  return {
    results: itemsOf(page),
    cookie: hasMore ? cookies.write({ ranks: last.ranks, id: last.id }, binding) : null,
    countPolicy: counts ? 'EXACT' : 'NONE',
    total: counts ? places.length : -1,
  };
}

const NO_PAGE: QueryPage = { results: [], cookie: null, countPolicy: 'NONE', total: -1 };

function filtered(resources: readonly Item[], filter: QueryFilter, { readerOf }: QueryWork): readonly Item[] {
  if (resources.length * comparisonsIn(filter) > MOST_COMPARISONS) {
    throw badRequest(`the filter is too long for a collection of ${resources.length} resources`);
  }
  return resources.filter(filterTest<Item>(filter, readerOf));
}

function comparisonsIn(filter: QueryFilter): number {
  if ('parts' in filter) return filter.parts.reduce((sum, part) => sum + comparisonsIn(part), 0);
  return 'part' in filter ? comparisonsIn(filter.part) : 1;
}

/** Ranks are read once for each resource, and not for each comparison. */
function placesOf(items: readonly Item[], keys: readonly SortKey[], work: QueryWork): Placed[] {
  const ranksOf = rankReader(keys, work);
  return items.map((item) => ({ item, id: item.id, ranks: ranksOf(item) }));
}

function itemsOf(places: readonly Placed[]): readonly Item[] {
  return places.map(({ item }) => item);
}

function comparePlaces(a: PagePlace, b: PagePlace, keys: readonly SortKey[]): number {
  return compareRanks(a.ranks, b.ranks, keys) || compareTexts(a.id, b.id);
}

/** Place of the last result of the page before; null for the first page. @throws CrestError */
function placeBefore({ cookie, offset }: ResourceQuery, cookies: PageCookies, binding: JsonValue): PagePlace | null {
  if (cookie === null || cookie === '') return null;
  if (offset > 0) throw badRequest('_pagedResultsCookie and _pagedResultsOffset cannot be used together');
  return cookies.read(cookie, binding);
}

function bindingOf(collection: string, filter: QueryFilter, keys: readonly SortKey[]): JsonValue {
  const order = keys.map(({ field, isDescending }) => `${isDescending ? '-' : '+'}${pointerText(field)}`);
  return [collection, filterText(filter), ...order];
}
