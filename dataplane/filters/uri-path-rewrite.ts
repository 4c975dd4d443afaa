import { z } from 'zod';
import { text } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import { sameAuthority } from '../engine/head/canonical-host.ts';
import type { Answer, Exchange } from '../engine/message/exchange.ts';
import { mapResponse, mapResponseAlone } from '../engine/message/reply.ts';
import type { Response } from '../engine/message/response.ts';
import { defineFilter } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { longestFirst, type Move, moveOf, type PathPrefix, pathPrefix } from './path-prefix.ts';
import { isWeb, readReference, type UriReference } from './uri-reference.ts';

const path = () =>
  text().refine((value) => pathPrefix(value) !== null, {
    error: ({ input }) => `must be a path that starts with '/' and has no query, '.' or '..', not '${input}'`,
  });

/** Moves the paths of an application to where clients see them. */
export const uriPathRewriteFilter = defineFilter({
  type: 'UriPathRewriteFilter',
  summary:
    'Rewrites the start of paths, in both directions: on the request from the path that clients use to that of ' +
    'the application, and back in the Location and Content-Location of the response when they are paths or name ' +
    'the host of the application or of the request. Whole segments are compared, and the longest matching ' +
    'mapping is used. A trailing slash of a mapped path is ignored.',
  config: z.strictObject({
    mappings: z
      .record(path(), path())
      .check(
        rulesAbout([], (value, add, isSound) => {
          const sound = Object.entries(value).filter(([written]) => isSound([written]));
          if (Object.keys(value).length === 0 && isSound([])) add([], 'must have at least one entry');
          for (const { path, message } of mappingFaults(sound)) add(path, message);
        }),
      )
      .describe('Paths of the application by the paths that clients use.'),
    failureHandler: ref('handler')
      .optional()
      .describe('Handler if a header of the response cannot be rewritten; by default an empty 500.'),
  }),
  examples: [
    { title: 'Clients see /shop, the application /v2/store', config: { mappings: { '/shop': '/v2/store' } } },
    {
      title: 'Map all paths to /app, except for pictures',
      config: { mappings: { '/': '/app', '/pictures': '/static/img' } },
    },
  ],
  create({ mappings, failureHandler }, parts) {
    const denied = denials(parts, ['location'], failureHandler);
    const forth = longestFirst(movesOf(mappings));
    const back = longestFirst(movesOf(mappings).map(({ from, to }) => ({ from: to, to: from })));

    /** The header with its path as clients use it; null when it cannot be read. */
    function asClientsUseIt(value: string, exchange: Exchange): string | null {
      const reference = readReference(value);
      if (reference === null) return null;
      if (!isOurs(reference, exchange)) return value;
      const move = moveOf(reference.path, back);
      if (move === null) return value;
      const start = value.length - reference.path.length - reference.rest.length;
      const moved = move.to + reference.path.slice(move.from.length) || '/';
      // two slashes at the start of a reference name a host, which a path that was `/app//x` never meant
      const path = reference.authority === null && moved.startsWith('//') ? `/.${moved}` : moved;
      return `${value.slice(0, start)}${path}${reference.rest}`;
    }

    function rewriteResponse(response: Response, exchange: Exchange): Answer {
      for (const name of LOCATIONS) {
        const value = response.headers.get(name);
        if (value === null) continue;
        const rewritten = asClientsUseIt(value, exchange);
        if (rewritten === null) {
          response.abandon();
          return denied.refuse(exchange, 'location', () => ({ header: name }), `the ${name} header cannot be read`);
        }
        if (rewritten !== value) response.headers.set(name, rewritten);
      }
      return response;
    }

    const map = failureHandler === undefined ? mapResponseAlone : mapResponse;
    return function rewriteRequest(exchange, next) {
      const { uri } = exchange.request;
      const move = moveOf(uri.rawPath, forth);
      if (move !== null) uri.movePath(move.from, move.to);
      return map(next(exchange), exchange, rewriteResponse);
    };
  },
});

/** Headers of a response that hold paths of the application. */
const LOCATIONS = ['location', 'content-location'];

function movesOf(mappings: Readonly<Record<string, string>>): Move[] {
  return Object.entries(mappings).map(([from, to]) => ({ from: pathPrefix(from)!, to: pathPrefix(to)! }));
}

/** Whether a reference leads to the application: it names no host, or one under which we or it are known. */
function isOurs({ scheme, authority, path }: UriReference, { request, router }: Exchange): boolean {
  if (authority === null) return path.startsWith('/') && isWeb(scheme);
  if (!isWeb(scheme)) return false;
  const known = [request.uri.authority, request.forwardHost, router.originalUri.authority];
  return known.some((name) => name !== '' && sameAuthority(authority, name, scheme ?? request.uri.scheme));
}

function mappingFaults(entries: readonly (readonly [string, string])[]): { path: string[]; message: string }[] {
  const known = new Map<PathPrefix, { readonly written: string; readonly to: PathPrefix | null }>();
  return entries.flatMap(([written, target]) => {
    const from = pathPrefix(written);
    const to = pathPrefix(target);
    const twin = from === null ? undefined : known.get(from);
    if (from !== null && twin === undefined) known.set(from, { written, to });
    if (twin === undefined || twin.to === to) return [];
    return [{ path: [written], message: `is the same path as '${twin.written}', which leads elsewhere` }];
  });
}
