import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A plane as a balancer knows it. */
export interface BalancedPlane {
  readonly port: number;
  readonly adminPort: number;
}

/** Milliseconds between two questions whether a plane is ready. */
const INTERVAL = 50;

/** Spreads connections over the planes that say that they are ready, as a Service of a cluster does. */
export class TcpBalancer {
  private readonly server: Server;
  private readonly planes = new Map<BalancedPlane, boolean>();
  private readonly sockets = new Set<Socket>();
  private turn = 0;
  private isClosed = false;

  private constructor() {
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.accept(client));
  }

  static async start(): Promise<TcpBalancer> {
    const balancer = new TcpBalancer();
    balancer.server.listen(0, '127.0.0.1');
    await once(balancer.server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get ready(): readonly BalancedPlane[] {
    return [...this.planes].filter(([, isReady]) => isReady).map(([plane]) => plane);
  }

  /** One more plane, which is asked from now on whether it is ready. */
  async add(plane: BalancedPlane): Promise<void> {
    this.planes.set(plane, await isReady(plane));
    void this.follow(plane);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private async follow(plane: BalancedPlane): Promise<void> {
    while (!this.isClosed) {
      await pause(INTERVAL);
      this.planes.set(plane, await isReady(plane));
    }
  }

  private accept(client: Socket): void {
    const { ready } = this;
    const plane = ready[this.turn++ % Math.max(1, ready.length)];
    if (plane === undefined) {
      client.destroy();
      return;
    }
    const server = connect({ port: plane.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    join(client, server);
    join(server, client);
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    }
  }
}

function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on('error', () => to.resetAndDestroy());
  from.on('close', () => to.end());
}

async function isReady({ adminPort }: BalancedPlane): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/health/ready`).catch(() => null);
  await answer?.arrayBuffer().catch(() => {});
  return answer?.status === 200;
}
