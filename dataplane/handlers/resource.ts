import { statSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import { z } from 'zod';
import { text } from '../../contract/vocabulary/configured.ts';
import { noEffect } from '../../contract/vocabulary/field-notes.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import type { Request } from '../engine/message/request.ts';
import { Response } from '../engine/message/response.ts';
import { defineHandler } from '../heap/definition.ts';
import { denials } from '../heap/objects/denials.ts';
import { contentTypeOf } from './content-types.ts';
import { contentOf, type FoundFile, findFile } from './found-file.ts';

/** Serves the files of directories. */
export const resourceHandler = defineHandler({
  type: 'ResourceHandler',
  summary:
    'Answers GET and HEAD with files from directories of the gateway. It answers 404 for missing files, for ' +
    'symbolic links that lead outside of the directories, and for names that begin with a dot except ' +
    '`.well-known`. Directories are not listed. A client that already has the current version (`If-None-Match`, ' +
    '`If-Modified-Since`) gets 304.',
  operatorOnly: 'it reads files of the data plane',
  config: z.strictObject({
    directories: z
      .array(text())
      .min(1)
      .describe('Directories that are searched in this order; a relative one is below the instance directory.'),
    basePath: text({ allowEmpty: true })
      .default('')
      .describe('Path prefix of requests that is mapped to the directories; other paths get 404.'),
    welcomePages: z
      .array(text())
      .default([])
      .describe('Names of files that are served for a directory, in this order.'),
    temporaryStorage: noEffect(ref('temporaryStorage'), 'files are sent as they are read').describe(
      'Storage for buffered content.',
    ),
  }),
  examples: [
    {
      title: 'A web site',
      config: { directories: ['${openig.instanceDirectory}/html'], basePath: '/docs', welcomePages: ['index.html'] },
    },
  ],
  create({ directories, basePath, welcomePages }, parts) {
    const { plane } = parts;
    const denied = denials(parts, ['method-not-served', 'no-file']);
    const roots = directories.map((directory) => resolvePath(plane.reach.directories?.instance ?? '.', directory));
    for (const root of roots) {
      if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
        throw new Error(`there is no directory ${root}`);
    }
    const base = basePath.split('/').filter((segment) => segment !== '');

    return function serve(exchange) {
      const { method } = exchange.request;
      if (method === 'GET' || method === 'HEAD') return find(exchange);
      const response = denied.answer(exchange, 'method-not-served');
      response.headers.append('Allow', 'GET, HEAD');
      return response;
    };

    async function find(exchange: Exchange): Promise<Response> {
      const { request } = exchange;
      const segments = request.uri.path.split('/').slice(1);
      const slash = segments.at(-1) === '';
      if (slash) segments.pop();
      if (!base.every((segment, i) => segments[i] === segment)) return denied.answer(exchange, 'no-file');
      const inside = segments.slice(base.length);
      if (!inside.every(mayBeServed)) return denied.answer(exchange, 'no-file');
      for (const root of roots) {
        const found = await findFile(root, inside);
        if (found === 'directory') {
          const page = await findWelcomePage(root, inside);
          if (page === null) continue;
          return slash || inside.length === 0 ? fileResponse(page, request) : redirectToDirectory(request);
        }
        if (found !== null && !slash) return fileResponse(found, request);
      }
      return denied.answer(exchange, 'no-file');
    }

    async function findWelcomePage(root: string, inside: readonly string[]): Promise<FoundFile | null> {
      for (const name of welcomePages) {
        const found = await findFile(root, [...inside, name]);
        if (found !== null && found !== 'directory') return found;
      }
      return null;
    }
  },
});

/** Whether a segment of a path names something below its directory that is meant to be seen. */
function mayBeServed(segment: string): boolean {
  return segment !== '' && (segment === '.well-known' || !segment.startsWith('.')) && !/[/\\\0]/.test(segment);
}

/** The links of a page are relative to its directory, so its path must end with a slash. */
function redirectToDirectory({ uri: { rawPath, rawQuery } }: Request): Response {
  const name = rawPath.slice(rawPath.lastIndexOf('/') + 1);
  const response = new Response(302);
  response.headers.append('Location', `./${name}/${rawQuery === null ? '' : `?${rawQuery}`}`);
  return response;
}

function fileResponse(file: FoundFile, request: Request): Response {
  const tag = `W/"${file.size.toString(16)}-${Math.floor(file.modified).toString(16)}"`;
  const response = new Response(isFresh(file, tag, request) ? 304 : 200);
  response.headers.append('Last-Modified', new Date(file.modified).toUTCString());
  response.headers.append('ETag', tag);
  if (response.status === 304) return response;
  response.headers.append('Content-Type', contentTypeOf(file.name));
  if (file.size > 0) response.entity.setStream(contentOf(file), file.size);
  return response;
}

/** Whether the client says that it has this version; tags are exact, and so they decide where both are given. */
function isFresh(file: FoundFile, tag: string, { headers }: Request): boolean {
  const tags = headers.get('if-none-match');
  if (tags !== null)
    return tags.trim() === '*' || tags.split(',').some((one) => one.trim().replace(/^(?!W\/)/, 'W/') === tag);
  const since = Date.parse(headers.get('if-modified-since') ?? '');
  return !Number.isNaN(since) && Math.floor(file.modified / 1000) * 1000 <= since;
}
