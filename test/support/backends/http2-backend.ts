import { once } from 'node:events';
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/** What a backend does with each request. */
export type StreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => Promise<void> | void;

/** A backend on Node's own HTTP/2 server, without TLS: another reader and writer of HTTP/2 than ours. */
export class Http2Backend {
  readonly faults: unknown[] = [];
  /** Connections accepted so far. */
  readonly sessions: ServerHttp2Session[] = [];
  /** Headers of the requests so far. */
  readonly requests: IncomingHttpHeaders[] = [];
  private readonly server: Http2Server;

  private constructor(handler: StreamHandler, options: ServerOptions) {
    this.server = createServer(options);
    this.server.on('session', (session) => {
      this.sessions.push(session);
      session.on('error', () => {}); // the gateway may break off
    });
    this.server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
      stream.on('error', () => {});
      this.requests.push(headers);
      Promise.resolve(handler(stream, headers)).catch((fault: unknown) => {
        this.faults.push(fault);
        stream.close();
      });
    });
  }

  static async start(handler: StreamHandler, options: ServerOptions = {}): Promise<Http2Backend> {
    const backend = new Http2Backend(handler, options);
    backend.server.listen(0, '127.0.0.1');
    await once(backend.server, 'listening');
    return backend;
  }

  get destination(): { host: string; port: number } {
    const { address, port } = this.server.address() as AddressInfo;
    return { host: address, port };
  }

  /** Connections that are open now. */
  get open(): number {
    return this.sessions.filter((session) => !session.closed && !session.destroyed).length;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }
}

/** All that a client sent on a stream. */
export async function bodyOf(stream: ServerHttp2Stream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
