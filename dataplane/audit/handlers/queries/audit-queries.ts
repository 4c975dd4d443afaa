import type { PagePlace } from '../../../../contract/crest/page-cookie.ts';
import type { QueryFilter } from '../../../../contract/crest/query-filter.ts';
import type { SortKey } from '../../../../contract/crest/sort-keys.ts';
import type { JsonObject } from '../../../../contract/document/json-value.ts';

/** Which events of a topic are asked for. */
export interface AuditQuery {
  readonly topic: string;
  readonly filter: QueryFilter;
  readonly sortKeys: readonly SortKey[];
  /** 0 for all results, as far as there may be so many at once. */
  readonly pageSize: number;
  /** Place of the first result. */
  readonly offset: number;
  /** Place of the last result of the page before, as the handler returned it; the offset does not count then. */
  readonly after?: PagePlace | null;
  /** Whether all results are counted. */
  readonly counts: boolean;
}

export interface AuditQueryPage {
  readonly results: readonly JsonObject[];
  /** Place of the first result of the next page; null on the last one. */
  readonly next: number | null;
  /** Place of the last result, of a handler that can go on behind it even if events are gone; absent on the last page. */
  readonly last?: PagePlace;
  /** -1 unless they were counted. */
  readonly total: number;
}

/** Reading side of a handler. */
export interface AuditQueries {
  /** @throws QueryRefusal */
  query(query: AuditQuery): Promise<AuditQueryPage>;
  /** Returns an event, or null if there is none. @throws QueryRefusal */
  read(topic: string, id: string): Promise<JsonObject | null>;
}

/** A query that cannot be answered, with the status for the client. */
export class QueryRefusal extends Error {
  readonly status: 400 | 404 | 501 | 503;

  constructor(status: QueryRefusal['status'], message: string) {
    super(message);
    this.name = 'QueryRefusal';
    this.status = status;
  }
}

/** Most results of one query. */
export const MOST_RESULTS = 10_000;

/** Places of the results that a query asks for. `size` is one more than a page, which tells whether there is another. */
export interface PageWindow {
  readonly offset: number;
  readonly size: number;
}

/** @throws QueryRefusal for a page that is too large */
export function pageWindow({ pageSize, offset }: AuditQuery): PageWindow {
  if (pageSize > MOST_RESULTS) throw new QueryRefusal(400, `the page size must be at most ${MOST_RESULTS}`);
  return { offset, size: (pageSize === 0 ? MOST_RESULTS : pageSize) + 1 };
}

/** The page of results that were found in a window. @throws QueryRefusal when there are too many for a query without pages */
export function pageOf(
  query: AuditQuery,
  window: PageWindow,
  found: readonly JsonObject[],
  total: number,
): AuditQueryPage {
  const hasMore = found.length === window.size;
  if (hasMore && query.pageSize === 0) {
    throw new QueryRefusal(400, `there are more than ${MOST_RESULTS} results: use a page size`);
  }
  const results = hasMore ? found.slice(0, -1) : found;
  return { results, next: hasMore ? window.offset + results.length : null, total };
}
