import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Both ends of one connection. */
interface Passage {
  readonly client: Socket;
  readonly server: Socket;
  isStalled: boolean;
  /** How many more bytes may come from the server; null for all. */
  left: number | null;
}

/** A way over TCP to a server that can be cut, for the rest of the test. */
export class CuttableWire {
  readonly port: number;
  private readonly passages = new Set<Passage>();
  private target: URL;
  private isCut = false;
  /** What is to happen when a connection has brought as much as it may. */
  private halted: ((cut: () => void) => void) | null = null;

  private constructor(port: number, target: URL) {
    this.port = port;
    this.target = target;
  }

  static async to(server: string): Promise<CuttableWire> {
    const listener = createServer((client) => wire.accept(client));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const wire = new CuttableWire((listener.address() as AddressInfo).port, new URL(server));
    onTestFinished(() => {
      wire.cut();
      listener.close();
    });
    return wire;
  }

  /** Nothing passes any more, and whoever tries hears so. */
  cut(): void {
    this.isCut = true;
    for (const { client, server } of this.passages) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
  }

  mend(): void {
    this.isCut = false;
  }

  /** New connections end at another server. */
  leadTo(server: string): void {
    this.target = new URL(server);
  }

  /** On the connections that there are, nothing passes and nobody hears so. New ones are as good as before. */
  stall(): void {
    for (const passage of this.passages) {
      passage.isStalled = true;
      passage.client.pause();
      passage.server.pause();
    }
  }

  /** What was stalled goes on. */
  resume(): void {
    for (const passage of this.passages) {
      if (!passage.isStalled) continue;
      passage.isStalled = false;
      passage.client.resume();
      passage.server.resume();
    }
  }

  /**
   * Stops one of the connections that there are, the first on which so many more bytes came from the server.
   * @returns what cuts that connection, once it has stopped
   */
  haltAfter(bytes: number): Promise<() => void> {
    for (const passage of this.passages) passage.left = bytes;
    return new Promise((resolve) => {
      this.halted = resolve;
    });
  }

  private accept(client: Socket): void {
    if (this.isCut) client.resetAndDestroy();
    else {
      const server = connect(Number(this.target.port), this.target.hostname);
      this.open({ client, server, isStalled: false, left: null });
    }
  }

  private open(passage: Passage): void {
    const { client, server } = passage;
    this.passages.add(passage);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.setNoDelay(true);
      one.on('error', () => {});
      one.on('close', () => {
        this.passages.delete(passage);
        other.destroy();
      });
      one.on('end', () => other.end());
      one.on('drain', () => passage.isStalled || other.resume());
    }
    client.on('data', (bytes: Buffer) => server.write(bytes) || client.pause());
    server.on('data', (bytes: Buffer) => client.write(this.allowed(passage, bytes)) || server.pause());
  }

  /** As much of what came from a server as may pass. */
  private allowed(passage: Passage, bytes: Buffer): Buffer {
    if (passage.left === null) return bytes;
    const piece = bytes.subarray(0, passage.left);
    passage.left -= piece.length;
    if (passage.left === 0) this.halt(passage);
    return piece;
  }

  private halt({ client, server }: Passage): void {
    const { halted } = this;
    if (halted === null) return;
    this.halted = null;
    for (const passage of this.passages) if (passage.client !== client) passage.left = null;
    halted(() => {
      client.destroy();
      server.destroy();
    });
  }
}
