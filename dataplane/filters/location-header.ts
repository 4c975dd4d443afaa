import { z } from 'zod';
import type { Exchange } from '../engine/message/exchange.ts';
import { mapResponse } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import type { Uri } from '../engine/message/uri.ts';
import { defineFilter } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { readAbsoluteUri, runtimeUri } from './absolute-uri.ts';
import { isWeb, readReference } from './uri-reference.ts';

/** Makes redirects of the application lead back through the gateway. */
export const locationHeaderFilter = defineFilter({
  type: 'LocationHeaderFilter',
  readsLate: true,
  aliases: ['RedirectFilter'],
  summary:
    'Replaces scheme, host and port in the Location header of responses with those of a base URI, so that ' +
    'redirects of the application lead back through the gateway. Path, query and fragment stay. Every http and ' +
    'https location is changed, with any host; relative paths without a leading / and other schemes are not ' +
    'changed. A malformed location or base URI gives an empty 500.',
  config: z.strictObject({
    baseURI: runtimeUri()
      .optional()
      .describe('Base URI; by default the URI that the client requested (contexts.router.originalUri).'),
  }),
  examples: [
    { title: 'Redirect to the host that the client used', config: {} },
    { title: 'Use a public host name', config: { baseURI: 'https://www.example.com:8443' } },
  ],
  create({ baseURI }, parts) {
    const denied = denials(parts, ['location']);
    const fixed = baseURI?.compiled === null ? readAbsoluteUri(baseURI.source) : null;

    function baseFor(exchange: Exchange, response: Response): Uri | null {
      if (baseURI === undefined) return exchange.router.originalUri;
      return fixed ?? readAbsoluteUri(baseURI.read(exchange, response) ?? '');
    }

    function rebaseLocation(response: Response, exchange: Exchange): Response {
      const { headers } = response;
      if (!headers.has('location')) return response;
      const base = baseFor(exchange, response);
      if (base === null) return failed(response, exchange, `the base '${baseURI?.source}' is not an absolute URI`);
      if (base.host === '') return response; // an old client that did not say what it asked for
      const locations = headers.all('location');
      const rebased = locations.map((location) => rebase(location, base));
      if (rebased.includes(null)) return failed(response, exchange, 'the location of the response cannot be read');
      if (rebased.every((location, index) => location === locations[index])) return response;
      headers.delete('location');
      for (const location of rebased) headers.append('Location', location!);
      return response;
    }

    function failed(response: Response, exchange: Exchange, reason: string): Response {
      response.abandon();
      const answer = denied.answer(exchange, 'location', undefined, reason);
      answer.cause = new Error(reason);
      return answer;
    }

    return (exchange, next) => mapResponse(next(exchange), exchange, rebaseLocation);
  },
});

function rebase(location: string, base: Uri): string | null {
  const reference = readReference(location);
  if (reference === null) return null;
  const { scheme, authority, path, rest } = reference;
  if (!isWeb(scheme) || (authority === null && !path.startsWith('/'))) return location;
  return `${base.scheme}://${base.authority}${path}${rest}`;
}
