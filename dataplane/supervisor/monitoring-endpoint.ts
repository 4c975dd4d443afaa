import type { MonitoringRecord } from '../metrics/monitoring.ts';

/** An answer of the admin port. */
export interface AdminAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The read-only Common REST view of the metrics: all of them by query, one by its id. */
export function monitoringAnswer(id: string, query: URLSearchParams, records: () => MonitoringRecord[]): AdminAnswer {
  if (id !== '') {
    const record = records().find(({ _id }) => _id === id);
    return record === undefined
      ? failure(404, 'Not Found', `there is no metric '${id}'`)
      : { status: 200, body: record };
  }
  const filter = query.get('_queryFilter');
  if (filter === null) return failure(400, 'Bad Request', 'a query needs _queryFilter=true');
  if (filter !== 'true') {
    return failure(501, 'Not Implemented', 'only _queryFilter=true is available in this version');
  }
  const results = records();
  return {
    status: 200,
    body: {
      results,
      resultCount: results.length,
      pagedResultsCookie: null,
      totalPagedResultsPolicy: 'NONE',
      totalPagedResults: -1,
      remainingPagedResults: -1,
    },
  };
}

function failure(code: number, reason: string, message: string): AdminAnswer {
  return { status: code, body: { code, reason, message } };
}
