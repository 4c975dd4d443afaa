import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { certificateAuthority } from '../identity/certificates.ts';

/** What an API server says to whoever makes a Route and looks at it. */
export interface RoutesScript {
  /** Status and body of the answer to its creation; by default 201. */
  readonly create?: { readonly status: number; readonly message: string };
  /** The conditions that it then has; by default none. */
  readonly conditions?: readonly object[];
}

/** A scripted API server that knows nothing but Routes. */
export interface RoutesApi {
  readonly host: string;
  readonly port: number;
  /** Authority of its certificate, in PEM. */
  readonly ca: string;
  /** Methods and paths of what it was asked, in order; equal neighbours once. */
  readonly asked: readonly string[];
  /** The Routes that were made. */
  readonly made: readonly { readonly spec: { readonly handler: { readonly config: { readonly entity: string } } } }[];
}

export async function scriptedRoutesApi({ create, conditions = [] }: RoutesScript): Promise<RoutesApi> {
  const authority = certificateAuthority('cluster');
  const { key, chain } = authority.issue({ names: ['127.0.0.1'] });
  const asked: string[] = [];
  const made: RoutesApi['made'][number][] = [];
  const server: Server = createServer({ key, cert: chain }, (request, response) => {
    const line = `${request.method} ${request.url}`;
    if (asked.at(-1) !== line) asked.push(line);
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (request.method === 'POST') made.push(JSON.parse(Buffer.concat(pieces).toString('utf8')));
      const isRefused = request.method === 'POST' && create !== undefined;
      response.writeHead(isRefused ? create.status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isRefused ? { message: create.message } : { status: { conditions } }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { host: '127.0.0.1', port, ca: authority.certificate, asked, made };
}
