import { once } from 'node:events';
import { createServer, type Server, type TLSSocket, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

/** Node's own TLS server, which answers every request. */
export interface TlsBackend {
  readonly port: number;
  readonly server: Server;
  /** What it knows of each connection, in the order of their handshakes. */
  readonly connections: { readonly isResumed: boolean; readonly server: string | false; readonly peer: string }[];
}

export async function startTlsBackend(options: TlsOptions): Promise<TlsBackend> {
  const connections: TlsBackend['connections'] = [];
  const sockets = new Set<TLSSocket>();
  const server = createServer(options, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    const { servername } = socket as unknown as { readonly servername: string | false };
    const { subject } = socket.getPeerCertificate();
    const common = (subject as { readonly CN?: unknown } | undefined)?.CN;
    const peer = typeof common === 'string' ? common : '';
    connections.push({ isResumed: socket.isSessionReused(), server: servername, peer });
    socket.on('data', (bytes: Buffer) => {
      for (const _ of bytes.toString('latin1').matchAll(/\r\n\r\n/g)) {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello');
      }
    });
  });
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const { port } = server.address() as { port: number };
  return { port, server, connections };
}
