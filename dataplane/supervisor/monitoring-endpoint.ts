import { randomBytes } from 'node:crypto';
import { CrestError } from '../../contract/crest/crest-error.ts';
import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import { PageCookies } from '../../contract/crest/page-cookie.ts';
import type { CrestEndpoint } from '../../contract/crest/provider.ts';
import { queryResources } from '../../contract/crest/query-resources.ts';
import type { MonitoringRecord } from '../metrics/monitoring.ts';

const METRIC: EndpointDescription = {
  name: 'metric',
  title: 'Monitoring',
  description: 'Metrics of routes.',
  hasRevisions: false,
  schema: () => ({
    schema: {
      type: 'object',
      required: ['_type'],
      properties: { _type: { type: 'string', enum: ['counter', 'gauge', 'summary', 'timer'] } },
    },
  }),
};

/** Returns the read-only Common REST view of the metrics. */
export function monitoringEndpoint(records: () => MonitoringRecord[]): CrestEndpoint {
  const cookies = new PageCookies(randomBytes(32));
  const resources = () => records().map((record) => ({ id: String(record['_id']), revision: null, content: record }));
  return {
    kind: 'collection',
    describes: METRIC,
    provider: {
      async read(id) {
        const found = resources().find((one) => one.id === id);
        if (found === undefined) throw new CrestError(404, `there is no metric '${id}'`);
        return found;
      },
      query: async (query) => queryResources(resources(), query, cookies, 'monitoring'),
    },
  };
}
