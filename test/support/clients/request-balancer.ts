import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Gives each request to the next of several ports, also where a client keeps its connection. */
export class RequestBalancer {
  /** How many requests each port got. */
  readonly given = new Map<number, number>();
  private readonly server: Server;
  private readonly agent = new Agent({ keepAlive: true });
  private ports: readonly number[] = [];
  private turn = 0;

  private constructor() {
    this.server = createServer((incoming, response) => this.forward(incoming, response));
  }

  static async start(): Promise<RequestBalancer> {
    const balancer = new RequestBalancer();
    balancer.server.listen(0, '127.0.0.1');
    await once(balancer.server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Gives requests to these ports from now on. */
  spreadOver(ports: readonly number[]): void {
    this.ports = ports;
  }

  async close(): Promise<void> {
    this.agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(incoming: IncomingMessage, response: ServerResponse): void {
    const port = this.ports[this.turn++ % this.ports.length]!;
    this.given.set(port, (this.given.get(port) ?? 0) + 1);
    const { method, url, rawHeaders } = incoming;
    const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers: rawHeaders, agent: this.agent });
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  }
}
