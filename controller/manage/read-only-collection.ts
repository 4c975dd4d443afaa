import { CrestError } from '../../contract/crest/crest-error.ts';
import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import type { PageCookies } from '../../contract/crest/page-cookie.ts';
import type { CrestEndpoint } from '../../contract/crest/provider.ts';
import { queryResources } from '../../contract/crest/query-resources.ts';
import type { Resource } from '../../contract/crest/resource.ts';

type Items = readonly (Resource & { readonly id: string })[];

/** Returns a collection that can be read and queried. @param resources returns all of them */
export function readOnlyCollection(
  describes: EndpointDescription,
  resources: () => Items | Promise<Items>,
  cookies: PageCookies,
): CrestEndpoint {
  return {
    kind: 'collection',
    describes,
    provider: {
      async read(id) {
        const found = (await resources()).find((one) => one.id === id);
        if (found === undefined) throw new CrestError(404, `there is no resource '${id}'`);
        return found;
      },
      query: async (query) => queryResources(await resources(), query, cookies, describes.name),
    },
  };
}
