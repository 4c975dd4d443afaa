import { z } from 'zod';
import { flag } from '../../../../contract/vocabulary/configured.ts';
import { auditHandler } from '../audit-handler.ts';
import { handlerFields } from '../handler-fields.ts';
import type { JsonStdoutOptions } from './json-stdout-sink.ts';

/** Events as lines of the standard output, where Kubernetes collects them. */
export const jsonStdoutAuditEventHandler = auditHandler({
  className: 'JsonStdoutAuditEventHandler',
  summary:
    'Writes each event as one line of JSON to the standard output of the data plane. The line ends with the members ' +
    '`_service` and `_topic`, which no event can set; the event of a tenant is inside, as `event` beside `_tenant`. ' +
    'Lines of events and of the access log never mix. Characters that end a line or act on a terminal are escaped. ' +
    'Queries are not supported.',
  config: z.strictObject({
    ...handlerFields(),
    elasticsearchCompatible: flag()
      .default(false)
      .describe('Whether `_id` is written as `_eventId`, because Elasticsearch has an `_id` of its own.'),
  }),
  examples: [{ title: 'All accesses to the standard output', config: { name: 'stdout', topics: ['access'] } }],
  options({ elasticsearchCompatible }) {
    return { elasticsearchCompatible } satisfies JsonStdoutOptions;
  },
});
