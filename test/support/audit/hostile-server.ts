import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface HostileServer {
  readonly port: number;
  /** Connections so far. */
  readonly connections: number;
  /** Bytes that it could hand to the system so far. */
  readonly sent: number;
}

/** A server that answers the first bytes of each connection with the same bytes. It ends with the test. */
export async function startHostileServer(
  answer: Buffer,
  { repeats = null, most = 0 }: { readonly repeats?: Buffer | null; readonly most?: number } = {},
): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const state = { connections: 0, sent: 0 };
  const server = createServer((socket) => {
    state.connections++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    const more = (): void => {
      if (repeats === null || state.sent >= most || socket.destroyed) return;
      socket.write(repeats, () => {
        state.sent += repeats.length;
        more();
      });
    };
    socket.once('data', () => {
      socket.write(answer);
      more();
      socket.resume();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get connections() {
      return state.connections;
    },
    get sent() {
      return state.sent;
    },
  };
}
