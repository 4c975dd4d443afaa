import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

/** Sends a request, waits for its answer, sends the next, until it is told to stop or the server says `close`. */
export class ClosedLoopClient {
  sent = 0;
  answered = 0;
  /** The server said that its answer is the last one. */
  told = false;
  /** What went wrong, or null: an answer that is not the one expected, or a connection that broke. */
  problem: string | null = null;
  private readonly socket: Socket;
  private readonly name: string;
  private readonly fields: () => string;
  private waiting: Buffer = Buffer.alloc(0);
  private stopped = false;

  private constructor(socket: Socket, name: string, fields: () => string) {
    this.socket = socket;
    this.name = name;
    this.fields = fields;
    socket.setNoDelay(true);
  }

  /** `name` becomes the path of its requests, and must be in the answers; `fields` are further header lines. */
  static async connect(port: number, name: string, fields: () => string = () => ''): Promise<ClosedLoopClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    return ClosedLoopClient.over(socket, name, fields);
  }

  /** The same on a connection that there is, such as one over TLS. */
  static over(socket: Socket, name: string, fields: () => string): ClosedLoopClient {
    return new ClosedLoopClient(socket, name, fields);
  }

  /** Resolves when it has stopped, for whatever reason. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      const { socket } = this;
      socket.on('data', (bytes: Buffer) => this.received(bytes));
      socket.on('error', (error: NodeJS.ErrnoException) => {
        this.problem ??= `${error.code} after ${this.answered} answers to ${this.sent} requests`;
      });
      socket.on('end', () => {
        if (this.answered < this.sent)
          this.problem ??= `closed after ${this.answered} answers to ${this.sent} requests`;
        socket.end();
      });
      socket.on('close', () => resolve());
      this.ask();
    });
  }

  /** The answer to the current request is the last one it waits for. */
  stop(): void {
    this.stopped = true;
  }

  private ask(): void {
    this.sent++;
    this.socket.write(`GET /${this.name}/${this.sent} HTTP/1.1\r\nHost: h\r\n${this.fields()}\r\n`);
  }

  private received(bytes: Buffer): void {
    this.waiting = this.waiting.length === 0 ? bytes : Buffer.concat([this.waiting, bytes]);
    const end = this.waiting.indexOf(HEAD_END);
    if (end < 0) return;
    const head = this.waiting.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
    if (!head.startsWith('HTTP/1.1 200 ') || Number.isNaN(length)) this.problem ??= head;
    if (this.waiting.length < end + 4 + length) return;
    const body = this.waiting.toString('latin1', end + 4);
    if (body !== `answer to /${this.name}/${this.sent}`) this.problem ??= body;
    this.waiting = Buffer.alloc(0);
    this.answered++;
    this.told ||= /\r\nconnection: close/i.test(head);
    if (this.stopped && !this.told) this.socket.end();
    else if (!this.told) this.ask();
  }
}
