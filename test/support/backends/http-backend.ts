import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A backend on Node's own HTTP server: another reader and writer of HTTP than ours. */
export class HttpBackend {
  readonly faults: unknown[] = [];
  private readonly server: Server;

  private constructor(handler: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void) {
    this.server = createServer({ requestTimeout: 0 }, (request, response) => {
      Promise.resolve(handler(request, response)).catch((fault: unknown) => {
        this.faults.push(fault);
        response.destroy();
      });
    });
  }

  static async start(
    handler: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
  ): Promise<HttpBackend> {
    const backend = new HttpBackend(handler);
    backend.server.listen(0, '127.0.0.1');
    await once(backend.server, 'listening');
    return backend;
  }

  get destination(): { host: string; port: number } {
    const { address, port } = this.server.address() as AddressInfo;
    return { host: address, port };
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
