import type { Uri } from '../../engine/message/uri.ts';
import type { ResourceUriProvider } from '../../heap/objects/resource-uri-provider.ts';
import { transactionReturn } from './transaction-return.ts';

/**
 * The URI of the request as it is at this place of the chain, or as the client sent it: the path, the query and the host
 * in the one spelling that routes match and that is forwarded. Default ports are left out.
 */
export function requestResource(includesQuery: boolean, isOriginal = false): ResourceUriProvider {
  if (!isOriginal) return { resource: ({ request }) => resourceOf(request.uri, includesQuery), isOfUri: true };
  // the original URI still has the id of a confirmed transaction, which policies do not see
  return { resource: ({ originalUri }) => transactionReturn(resourceOf(originalUri, includesQuery), null) };
}

function resourceOf(uri: Uri, includesQuery: boolean): string {
  const { rawPath } = uri;
  if (uri.host === '' || !rawPath.startsWith('/')) {
    throw new Error('the request has no URL that a policy could be about: its host or its path is missing');
  }
  return includesQuery ? uri.toString() : `${uri.scheme}://${uri.authority}${rawPath}`;
}
