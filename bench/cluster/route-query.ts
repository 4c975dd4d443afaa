import type { CrestClient } from '../../test/support/crest/cluster-client.ts';

/** A page of a query with another filter each time, so that nothing can be answered from the query before. */
export function queryPath(namespace: string, at: number): string {
  const query = {
    _queryFilter: `condition co "r${at % 97}" and _id sw "${namespace}."`,
    _sortKeys: '-condition,_id',
    _pageSize: '20',
    _totalPagedResultsPolicy: 'EXACT',
  };
  return `/api/routes?${new URLSearchParams(query)}`;
}

/** Milliseconds until a query is answered. */
export async function timedQuery(client: CrestClient, token: string, path: string): Promise<number> {
  const begun = performance.now();
  const { status, text } = await client.ask(token, 'GET', path);
  if (status !== 200) throw new Error(`a query is answered with ${status}: ${text}`);
  return performance.now() - begun;
}
