import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A backend on node:http that answers `answer to PATH`, or as it is told. */
export class EchoBackend {
  readonly requests: IncomingMessage[] = [];
  private readonly server: Server;

  private constructor(answer: RequestListener) {
    this.server = createServer((request, response) => {
      this.requests.push(request);
      answer(request, response);
    });
    this.server.keepAliveTimeout = 60_000;
  }

  static async start(
    where: { readonly path: string } | { readonly host: string } = { host: '127.0.0.1' },
    answer: RequestListener = (request, response) => response.end(`answer to ${request.url}`),
  ): Promise<EchoBackend> {
    const backend = new EchoBackend(answer);
    backend.server.listen({ ...where, ...('path' in where ? {} : { port: 0 }) });
    await once(backend.server, 'listening');
    return backend;
  }

  get url(): string {
    const address = this.server.address() as AddressInfo | string;
    if (typeof address === 'string') return `unix:${address}`;
    return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
