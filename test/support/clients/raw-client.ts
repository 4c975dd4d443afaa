import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that sends the bytes it is told to, and nothing else. */
export class RawClient {
  readonly socket: Socket;
  private chunks: Buffer[] = [];
  private changed: (() => void)[] = [];
  ended = false;
  failed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => {
      this.chunks.push(bytes);
      this.wake();
    });
    socket.on('end', () => {
      this.ended = true;
      this.wake();
    });
    socket.on('error', () => {
      this.failed = true;
      this.wake();
    });
    socket.on('close', () => this.wake());
  }

  static async connect(port: number, host = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host, allowHalfOpen: true });
    const client = new RawClient(socket);
    await once(socket, 'connect');
    return client;
  }

  private wake(): void {
    for (const wake of this.changed.splice(0)) wake();
  }

  get bytes(): Buffer {
    if (this.chunks.length > 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }

  get text(): string {
    return this.bytes.toString('latin1');
  }

  get closed(): boolean {
    return this.ended || this.failed || this.socket.destroyed;
  }

  send(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Waits until what was received satisfies the condition, or the connection is over. */
  async until(condition: (text: string) => boolean): Promise<string> {
    while (!condition(this.text) && !this.closed) await new Promise<void>((resolve) => this.changed.push(resolve));
    return this.text;
  }

  /** Waits for the end of the connection. @returns all that was received. */
  async untilClosed(): Promise<string> {
    while (!this.closed) await new Promise<void>((resolve) => this.changed.push(resolve));
    return this.text;
  }

  /** Says that nothing more comes, and still reads. */
  finish(): void {
    this.socket.end();
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** One answer as a client sees it. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Splits what a server sent into answers. @throws when the framing is broken. `heads` lists requests that were HEAD. */
export function parseAnswers(text: string, heads: readonly boolean[] = []): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`half a head: ${JSON.stringify(rest)}`);
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`not a status line: ${JSON.stringify(head)}`);
    const headers = new Map<string, string>();
    for (const line of head.split('\r\n').slice(1)) {
      const colon = line.indexOf(':');
      headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    rest = rest.slice(end + 4);
    let body = '';
    const final = answers.filter((answer) => answer.status >= 200).length;
    if (status >= 200 && status !== 204 && status !== 304 && heads[final] !== true) {
      const length = headers.get('content-length');
      if (headers.get('transfer-encoding') === 'chunked') [body, rest] = unchunk(rest);
      else if (length !== undefined) {
        if (rest.length < Number(length)) throw new Error(`half a body: ${rest.length} of ${length}`);
        body = rest.slice(0, Number(length));
        rest = rest.slice(Number(length));
      } else [body, rest] = [rest, ''];
    }
    answers.push({ status, head, headers, body });
  }
  return answers;
}

function unchunk(text: string): [body: string, rest: string] {
  let body = '';
  let rest = text;
  for (;;) {
    const match = /^([0-9a-f]+)\r\n/.exec(rest);
    if (match === null) throw new Error(`not a chunk: ${JSON.stringify(rest.slice(0, 80))}`);
    const size = Number.parseInt(match[1]!, 16);
    rest = rest.slice(match[0].length);
    if (size === 0) {
      const end = rest.startsWith('\r\n') ? 2 : rest.indexOf('\r\n\r\n') + 4;
      if (end < 2 || (end === 3 && !rest.startsWith('\r\n'))) throw new Error('half a trailer');
      return [body, rest.slice(end)];
    }
    if (rest.length < size + 2 || rest.slice(size, size + 2) !== '\r\n') throw new Error('half a chunk');
    body += rest.slice(0, size);
    rest = rest.slice(size + 2);
  }
}
