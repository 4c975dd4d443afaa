import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Certified } from '../identity/certificates.ts';

/** A syslog server that keeps what it gets. */
export interface SyslogServer {
  readonly port: number;
  /** Messages without their framing, in order of arrival. */
  readonly messages: string[];
  /** Bytes of connections after the last whole message. */
  readonly rests: string[];
  readonly connections: Set<Socket>;
  /** Stops listening and ends every connection. */
  stop(): Promise<void>;
}

/** A server for messages with octet counting, over TCP or TLS. */
export async function startStreamSyslog(certified: Certified | null = null, port = 0): Promise<SyslogServer> {
  const messages: string[] = [];
  const rests: string[] = [];
  const connections = new Set<Socket>();
  const serve = (socket: Socket): void => {
    connections.add(socket);
    const place = rests.push('') - 1;
    let buffer = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('close', () => connections.delete(socket));
    socket.on('data', (piece: Buffer) => {
      buffer = Buffer.concat([buffer, piece]);
      for (;;) {
        const count = /^(\d+) /.exec(buffer.subarray(0, 12).toString('latin1'));
        if (count === null) break;
        const from = count[0].length;
        const to = from + Number(count[1]);
        if (buffer.length < to) break;
        messages.push(buffer.toString('utf8', from, to));
        buffer = buffer.subarray(to);
      }
      rests[place] = buffer.toString('utf8');
    });
  };
  const server: Server =
    certified === null ? createServer(serve) : createTlsServer({ cert: certified.chain, key: certified.key }, serve);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<void> => {
    const closed = server.listening ? once(server, 'close') : Promise.resolve();
    server.close();
    for (const socket of connections) socket.destroy();
    await closed;
  };
  onTestFinished(stop);
  return { port: (server.address() as AddressInfo).port, messages, rests, connections, stop };
}

/** A server for messages in datagrams. */
export async function startDatagramSyslog(): Promise<Pick<SyslogServer, 'port' | 'messages' | 'stop'>> {
  const messages: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message) => messages.push(message.toString('utf8')));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  let isOpen = true;
  const stop = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    const closed = once(socket, 'close');
    socket.close();
    await closed;
  };
  onTestFinished(stop);
  return { port: socket.address().port, messages, stop };
}
