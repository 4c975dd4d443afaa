import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way over TCP to a server that can be cut, for the rest of the test. */
export class CuttableWire {
  readonly port: number;
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(port: number) {
    this.port = port;
  }

  static async to(server: string): Promise<CuttableWire> {
    const { hostname, port } = new URL(server);
    const listener = createServer((client) => {
      if (wire.isCut) {
        client.resetAndDestroy();
        return;
      }
      const behind = connect(Number(port), hostname);
      for (const [one, other] of [
        [client, behind],
        [behind, client],
      ] as const) {
        wire.sockets.add(one);
        one.on('error', () => {});
        one.on('close', () => {
          wire.sockets.delete(one);
          other.destroy();
        });
        one.pipe(other);
      }
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const wire = new CuttableWire((listener.address() as AddressInfo).port);
    onTestFinished(() => {
      wire.cut();
      listener.close();
    });
    return wire;
  }

  /** Nothing passes any more, and whoever tries hears so. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  mend(): void {
    this.isCut = false;
  }
}
