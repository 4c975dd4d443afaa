import { type ApiVersion, isAtLeast } from './api-version.ts';
import { badRequest, readPart } from './crest-error.ts';
import type { Parameters } from './parameters.ts';
import { type QueryFilter, readQueryFilter } from './query-filter.ts';
import type { Resource } from './resource.ts';
import { readSortKeys, type SortKey } from './sort-keys.ts';

/** Selection of resources: exactly one of the three. */
export type QuerySelector =
  | { readonly filter: QueryFilter }
  | { readonly queryId: string }
  | { readonly expression: string };

const COUNT_POLICIES = ['NONE', 'ESTIMATE', 'EXACT'] as const;

export type CountPolicy = (typeof COUNT_POLICIES)[number];

/** Query of a collection. */
export interface ResourceQuery {
  readonly selector: QuerySelector;
  readonly sortKeys: readonly SortKey[];
  /** 0 or less for all results at once. */
  readonly pageSize: number;
  /** Number of results to skip; 0 or less for none. */
  readonly offset: number;
  /** Cookie of the page before, or null. */
  readonly cookie: string | null;
  readonly countPolicy: CountPolicy;
  /** Asks for the number of results in place of the results. */
  readonly countOnly: boolean;
}

/** Answer to a query. */
export interface QueryPage {
  readonly results: readonly Resource[];
  /** Null on the last page. */
  readonly cookie: string | null;
  /** Policy that was applied. */
  readonly countPolicy: CountPolicy;
  /** Number of results of all pages; -1 unless counted. */
  readonly total: number;
  /** Number of results after this page; -1 unless known. */
  readonly remaining?: number;
  /** Number of results of this page, where it is not the length of `results`. */
  readonly count?: number;
}

/** Parameters of a query, besides those of every request. */
export const QUERY_PARAMETERS: ReadonlySet<string> = new Set([
  '_countOnly',
  '_pageSize',
  '_pagedResultsCookie',
  '_pagedResultsOffset',
  '_queryExpression',
  '_queryFilter',
  '_queryId',
  '_sortKeys',
  '_totalPagedResultsPolicy',
]);

export function isQuery(parameters: Parameters): boolean {
  return parameters.has('_queryFilter') || parameters.has('_queryId') || parameters.has('_queryExpression');
}

/** Reads the parameters of a query. @throws CrestError */
export function readQuery(parameters: Parameters, protocol: ApiVersion): ResourceQuery {
  if (parameters.has('_countOnly') && !isAtLeast(protocol, 2, 2)) {
    throw badRequest('_countOnly needs protocol version 2.2 or later');
  }
  return {
    selector: readSelector(parameters),
    sortKeys: readSortKeys(parameters),
    pageSize: parameters.integer('_pageSize'),
    offset: parameters.integer('_pagedResultsOffset'),
    cookie: parameters.single('_pagedResultsCookie'),
    countPolicy: readCountPolicy(parameters),
    countOnly: parameters.flag('_countOnly'),
  };
}

function readSelector(parameters: Parameters): QuerySelector {
  const given = (['_queryFilter', '_queryId', '_queryExpression'] as const).filter((name) => parameters.has(name));
  if (given.length > 1) throw badRequest(`${given[0]} and ${given[1]} cannot be used together`);
  const text = parameters.single(given[0]!);
  if (text === null) throw badRequest(`${given[0]} has no value`);
  if (given[0] === '_queryId') return { queryId: text };
  if (given[0] === '_queryExpression') return { expression: text };
  return { filter: readPart(() => readQueryFilter(text)) };
}

function readCountPolicy(parameters: Parameters): CountPolicy {
  if (!parameters.has('_totalPagedResultsPolicy')) return 'NONE';
  const text = parameters.single('_totalPagedResultsPolicy')?.toUpperCase();
  const policy = COUNT_POLICIES.find((one) => one === text);
  if (policy === undefined) throw badRequest('_totalPagedResultsPolicy must be NONE, ESTIMATE or EXACT');
  return policy;
}
