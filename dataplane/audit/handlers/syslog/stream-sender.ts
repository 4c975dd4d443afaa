import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { openSocket, type SocketTarget } from '../connection/open-socket.ts';
import type { SyslogOptions, SyslogSender } from './syslog-sender.ts';

/** Bytes handed to the system at once. */
const CHUNK = 64 * 1024;

type StreamOptions = Pick<SyslogOptions, 'host' | 'port' | 'tls' | 'connectTimeout' | 'writeTimeout'> &
  Pick<SocketTarget, 'mayReach'>;

/**
 * Sends messages over TCP (RFC 6587) or TLS (RFC 5425), each after the count of its bytes. A server that closed the
 * connection is noticed before anything is written to it; what it had not read by then is lost, since it tells nobody.
 */
export class StreamSender implements SyslogSender {
  sent = 0;
  readonly tooLarge: readonly number[] = [];
  private readonly options: StreamOptions;
  private socket: Socket | null = null;
  /** Why the connection ended, until the next one is open. */
  private fault: Error | null = null;

  constructor(options: StreamOptions) {
    this.options = options;
  }

  async open(): Promise<void> {
    await this.ready();
  }

  async send(messages: readonly Buffer[]): Promise<void> {
    this.sent = 0;
    const socket = await this.ready();
    for (const chunk of chunks(messages)) {
      await this.write(socket, chunk.bytes);
      this.sent += chunk.count;
    }
  }

  close(): void {
    this.socket?.end();
    this.socket?.unref();
    this.socket = null;
  }

  private async ready(): Promise<Socket> {
    await setImmediate(); // an end of the connection that has arrived is handled before
    if (this.socket !== null) return this.socket;
    const { host, port, tls, connectTimeout: timeout, mayReach } = this.options;
    const socket = await openSocket({ host, port, tls, timeout, mayReach });
    const end = (error: Error): void => {
      socket.destroy();
      if (this.socket !== socket) return;
      this.socket = null;
      this.fault = error;
    };
    socket.setKeepAlive(true, 30_000);
    socket.resume(); // a server sends nothing; its end is noticed only by reading
    socket.on('error', (error) => end(new Error(`the connection to ${host}:${port} failed: ${error.message}`)));
    socket.on('end', () => end(new Error(`${host}:${port} closed the connection`)));
    socket.on('close', () => end(new Error(`${host}:${port} closed the connection`)));
    this.socket = socket;
    this.fault = null;
    return socket;
  }

  private write(socket: Socket, bytes: Buffer): Promise<void> {
    const { host, port, writeTimeout } = this.options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        finish(new Error(`${host}:${port} has read nothing for ${writeTimeout} ms`));
      }, writeTimeout);
      const onClose = (): void => finish(this.fault ?? new Error(`${host}:${port} closed the connection`));

      const finish = (error: Error | null): void => {
        clearTimeout(timer);
        socket.off('close', onClose);
        if (error === null) {
          resolve();
          return;
        }
        if (this.socket === socket) this.socket = null;
        socket.destroy();
        reject(error);
      };

      if (socket.destroyed) {
        onClose();
        return;
      }
      socket.once('close', onClose);
      socket.write(bytes, (error) => {
        finish(error === null || error === undefined ? null : (this.fault ?? error));
      });
    });
  }
}

/** Messages with their counts, several in one piece. */
function chunks(messages: readonly Buffer[]): { readonly bytes: Buffer; readonly count: number }[] {
  const made: { bytes: Buffer; count: number }[] = [];
  let parts: Buffer[] = [];
  let [size, count] = [0, 0];
  for (const message of messages) {
    const prefix = Buffer.from(`${message.length} `);
    parts.push(prefix, message);
    size += prefix.length + message.length;
    count++;
    if (size < CHUNK) continue;
    made.push({ bytes: Buffer.concat(parts), count });
    parts = [];
    [size, count] = [0, 0];
  }
  if (count > 0) made.push({ bytes: Buffer.concat(parts), count });
  return made;
}
