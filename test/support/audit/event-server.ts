import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Certified } from '../identity/certificates.ts';

/** A request that a server for events got. */
export interface EventRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a server does with a request: its answer, or one of the ways to fail. */
export type EventAnswer =
  | { readonly status: number; readonly body: string }
  /** Ends the connection in the middle of the answer. */
  | 'cut'
  /** Never answers. */
  | 'silent';

export interface EventServer {
  readonly port: number;
  readonly requests: EventRequest[];
  /** Takes the place of the usual answer for the next requests, in order. */
  readonly script: EventAnswer[];
  stop(): Promise<void>;
}

/** A server for requests with events. `answer` is what a healthy one says. */
export async function startEventServer(
  answer: (request: EventRequest) => EventAnswer,
  { certified = null, port = 0 }: { readonly certified?: Certified | null; readonly port?: number } = {},
): Promise<EventServer> {
  const requests: EventRequest[] = [];
  const script: EventAnswer[] = [];
  const listener: RequestListener = (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const got = { path: request.url!, headers: request.headers, body: Buffer.concat(pieces).toString('utf8') };
      requests.push(got);
      const said = script.shift() ?? answer(got);
      if (said === 'silent') return;
      if (said === 'cut') {
        response.writeHead(200, { 'Content-Length': '1000' });
        response.write('{"co', () => request.socket.destroy());
        return;
      }
      response.writeHead(said.status, { 'Content-Type': 'application/json' }).end(said.body);
    });
  };
  const server: Server =
    certified === null
      ? createServer(listener)
      : createTlsServer({ cert: certified.chain, key: certified.key }, listener);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : Promise.resolve();
    server.close();
    server.closeAllConnections();
    await closed;
  };
  onTestFinished(stop);
  return { port: (server.address() as AddressInfo).port, requests, script, stop };
}
