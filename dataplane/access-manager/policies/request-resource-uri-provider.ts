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
    'the URI before, the changed URI counts unless `useOriginalUri` is true. Default ports are left out.',
  config: z.strictObject({
    useOriginalUri: flag()
      .default(false)
      .describe(
        'Whether the resource is the URI that the client requested, before a `baseURI` or a filter changed it. With a ' +
          'UriPathRewriteFilter before it, policies then decide on another path than the backend gets.',
      ),
    includeQueryParams: flag()
      .default(true)
      .describe(
        'Whether the resource has the query parameters. If false, requests that differ only in query parameters ' +
          'share one decision.',
      ),
  }),
  examples: [
    { title: 'One decision for all query parameters', config: { includeQueryParams: false } },
    {
      title: 'Policies for the URLs that clients use, in a route with a `baseURI`',
      config: { useOriginalUri: true, includeQueryParams: false },
    },
  ],
  create: ({ useOriginalUri, includeQueryParams }) => requestResource(includeQueryParams, useOriginalUri),
});
