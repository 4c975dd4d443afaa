import { z } from 'zod';
import { flag } from '../../../contract/vocabulary/configured.ts';
import { defineService } from '../../heap/definition.ts';
import { requestResource } from './request-resource.ts';

/** Takes the URI of the request for the resource of a policy decision. */
export const requestResourceUriProvider = defineService({
  type: 'RequestResourceUriProvider',
  kind: 'resourceUriProvider',
  summary:
    'Returns the URI of the request as the resource of a policy decision. If a `baseURI` or another filter changed ' +
    'the URI before, the changed URI counts. Default ports are left out.',
  config: z.strictObject({
    includeQueryParams: flag()
      .default(true)
      .describe(
        'Whether the resource has the query parameters. If false, requests that differ only in query parameters ' +
          'share one decision.',
      ),
  }),
  examples: [{ title: 'One decision for all query parameters', config: { includeQueryParams: false } }],
  create: ({ includeQueryParams }) => requestResource(includeQueryParams),
});
