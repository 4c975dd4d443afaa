import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { MayReach } from '../../../../contract/egress.ts';
import { errorCode } from '../../../../platform/error-code.ts';
import { asError } from '../../../../platform/error-text.ts';
import { checkedAddress } from '../connection/open-socket.ts';
import type { SyslogSender } from './syslog-sender.ts';

/** After this time the name of the server is looked up again, in milliseconds. */
const NAME_AGE = 60_000;

interface DatagramOptions {
  readonly host: string;
  readonly port: number;
  readonly mayReach: MayReach;
}

/**
 * Sends each message as a datagram (RFC 5426). Nobody says whether one arrives; only a machine that answers that nobody
 * listens makes the next one fail.
 */
export class DatagramSender implements SyslogSender {
  sent = 0;
  tooLarge: readonly number[] = [];
  private readonly options: DatagramOptions;
  private socket: Socket | null = null;
  /** What came back for a datagram that the system had taken. */
  private fault: Error | null = null;
  private openedAt = 0;

  constructor(options: DatagramOptions) {
    this.options = options;
  }

  async open(): Promise<void> {
    await this.ready();
  }

  async send(messages: readonly Buffer[]): Promise<void> {
    const tooLarge: number[] = [];
    this.sent = 0;
    this.tooLarge = tooLarge;
    const socket = await this.ready();
    await setImmediate(); // an answer that has arrived is handled before
    this.failOn(this.fault);
    for (const [at, message] of messages.entries()) {
      try {
        await sendOne(socket, message);
      } catch (error) {
        if (errorCode(error) !== 'EMSGSIZE') this.failOn(asError(error));
        tooLarge.push(at);
      }
      this.sent = at + 1;
    }
  }

  close(): void {
    this.socket?.close();
    this.socket = null;
    this.fault = null;
  }

  private failOn(fault: Error | null): void {
    if (fault === null) return;
    this.close();
    const { host, port } = this.options;
    throw new Error(`sending to ${host}:${port} failed: ${fault.message}`);
  }

  private async ready(): Promise<Socket> {
    if (this.socket !== null && performance.now() - this.openedAt < NAME_AGE) return this.socket;
    this.close();
    const { host, port, mayReach } = this.options;
    const address = await checkedAddress(host, port, mayReach);
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
    socket.on('error', (error) => {
      this.fault = error;
    });
    const connected = once(socket, 'connect');
    socket.connect(port, address);
    await connected;
    socket.unref();
    this.socket = socket;
    this.openedAt = performance.now();
    return socket;
  }
}

function sendOne(socket: Socket, message: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(message, (error) => (error === null ? resolve() : reject(error)));
  });
}
