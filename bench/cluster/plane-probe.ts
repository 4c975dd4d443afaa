import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One connection to a plane that asks again and again until it gets the answer that is waited for. */
export class PlaneProbe {
  private readonly socket: Socket;
  private text = '';
  private answered: (body: string) => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding('latin1').on('data', (text: string) => this.received(text));
  }

  static async connect(port: number, host = '127.0.0.1'): Promise<PlaneProbe> {
    const socket = connect({ port, host });
    await once(socket, 'connect');
    return new PlaneProbe(socket);
  }

  /** The status and body of an answer, one after the other. */
  ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve, reject) => {
      if (this.socket.closed) reject(new Error('the plane has closed the connection'));
      this.answered = resolve;
      this.socket.write(`GET ${path} HTTP/1.1\r\nhost: bench.test\r\n${lines.join('')}\r\n`);
    });
  }

  /** Asks until the answer is this one. @returns when it came, on the clock of `performance.now()` */
  async until(
    path: string,
    isIt: (answer: string) => boolean,
    patience = 10_000,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    const last = performance.now() + patience;
    for (;;) {
      const answer = await this.ask(path, headers);
      const now = performance.now();
      if (isIt(answer)) return now;
      if (now > last) throw new Error(`the plane still answers ${answer}`);
      // A pause between two questions, so that asking does not take the time of what is measured.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  close(): void {
    this.socket.destroy();
  }

  private received(text: string): void {
    this.text += text;
    const head = this.text.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.text)?.[1] ?? 0);
    if (this.text.length < head + 4 + length) return;
    const status = this.text.slice(9, 12);
    const body = this.text.slice(head + 4, head + 4 + length);
    this.text = this.text.slice(head + 4 + length);
    this.answered(`${status} ${body}`);
  }
}
