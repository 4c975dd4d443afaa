import type { Exchange } from '../../engine/message/exchange.ts';
import type { ResourceUriProvider } from '../../heap/objects/resource-uri-provider.ts';

/**
 * The URI of the request as it is at this place of the chain: the path, the query and the host in the one spelling that
 * routes match and that is forwarded. Default ports are left out.
 */
export function requestResource(includesQuery: boolean): ResourceUriProvider {
  return { resource: ({ request }) => resourceOf(request, includesQuery) };
}

function resourceOf({ uri }: Exchange['request'], includesQuery: boolean): string {
  const { rawPath } = uri;
  if (uri.host === '' || !rawPath.startsWith('/')) {
    throw new Error('the request has no URL that a policy could be about: its host or its path is missing');
  }
  return includesQuery ? uri.toString() : `${uri.scheme}://${uri.authority}${rawPath}`;
}
