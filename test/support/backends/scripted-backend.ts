import { once } from 'node:events';
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { nextTurn } from '../clients/event-loop.ts';
import { readStrictRequest, type StrictRequest } from './strict-backend.ts';

/** What a backend does on one connection: reads what it wants of it, and writes any bytes at any time. */
export type Script = (peer: ScriptedPeer) => void | Promise<void>;

/** A script that is asked for each request; what it returns is sent as it is. */
export function eachRequest(
  answer: (
    request: StrictRequest,
    peer: ScriptedPeer,
  ) => string | Buffer | undefined | Promise<string | Buffer | undefined>,
): Script {
  return async (peer) => {
    for (let request = await peer.request(); request !== null; request = await peer.request()) {
      const bytes = await answer(request, peer);
      if (bytes !== undefined) peer.send(bytes);
    }
  };
}

/** An answer with a length, as a well-behaved backend would write it. */
export function plainAnswer(body: string, status = '200 OK', fields = ''): string {
  return `HTTP/1.1 ${status}\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** One connection of a scripted backend. */
export class ScriptedPeer {
  readonly socket: Socket;
  /** Which connection of its backend this is, from 0. */
  readonly index: number;
  /** The gateway will send nothing more, or the connection is gone. */
  ended = false;
  /** Whether it goes on sending when the gateway has ended its side. */
  halfOpen = false;
  private readonly backend: ScriptedBackend;
  private text = '';
  private waiting: (() => void)[] = [];

  constructor(socket: Socket, index: number, backend: ScriptedBackend) {
    this.socket = socket;
    this.index = index;
    this.backend = backend;
    const over = (): void => {
      this.ended = true;
      this.wake();
    };
    socket.on('error', () => {}); // 'close' follows
    socket.on('end', () => {
      over();
      if (!this.halfOpen) socket.end();
    });
    socket.on('close', over);
    socket.on('data', this.hear);
  }

  private readonly hear = (bytes: Buffer): void => {
    this.text += bytes.toString('latin1');
    this.wake();
  };

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  get closed(): boolean {
    return this.socket.destroyed;
  }

  /** What was received and not yet taken. */
  get received(): string {
    return this.text;
  }

  /** Waits until what was received satisfies the condition, or nothing more comes. */
  async until(condition: (text: string) => boolean): Promise<string> {
    while (!condition(this.text) && !this.ended) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return this.text;
  }

  /** Takes the next whole request, read by the letter of RFC 9112; null when there is none any more. */
  async request(): Promise<StrictRequest | null> {
    await this.until((text) => readStrictRequest(text) !== null);
    const read = readStrictRequest(this.text);
    if (read === null) return null;
    this.text = this.text.slice(read.length);
    this.wake();
    this.backend.heard(read.request);
    return read.request;
  }

  /** Takes the next request head, however much of its body has come; null when there is none any more. */
  async head(): Promise<string | null> {
    await this.until((text) => text.includes('\r\n\r\n'));
    const end = this.text.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const head = this.text.slice(0, end + 4);
    this.text = this.text.slice(end + 4);
    this.wake();
    return head;
  }

  /** Takes the next bytes; null when there are fewer. */
  takeBytes(length: number): Buffer | null {
    if (this.text.length < length) return null;
    const bytes = Buffer.from(this.text.slice(0, length), 'latin1');
    this.text = this.text.slice(length);
    return bytes;
  }

  /** Stops to listen, for a test that reads the socket itself. @returns what was received and not taken. */
  take(): Buffer {
    this.socket.off('data', this.hear);
    this.socket.pause();
    const rest = Buffer.from(this.text, 'latin1');
    this.text = '';
    return rest;
  }

  send(bytes: string | Buffer): void {
    if (this.socket.writable) this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Sends in pieces of `size` bytes, each of which the gateway can read before the next is sent. */
  async sendPieces(bytes: string | Buffer, size: number): Promise<void> {
    const whole = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    for (let at = 0; at < whole.length && this.socket.writable; at += size) {
      this.send(whole.subarray(at, at + size));
      if (size < whole.length) await nextTurn();
    }
  }

  /** Says that nothing more comes, and still reads. */
  end(): void {
    this.socket.end();
  }

  /** Closes both ways. */
  close(): void {
    this.socket.destroy();
  }

  /** Closes so that the gateway sees an error. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Waits until the connection is gone. */
  async untilClosed(): Promise<void> {
    this.socket.resume();
    if (!this.socket.closed) await new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
  }
}

/** A backend that does on every connection what the test says. */
export class ScriptedBackend {
  /** Connections accepted so far. */
  readonly peers: ScriptedPeer[] = [];
  /** Requests that scripts have taken whole, in order. */
  readonly requests: StrictRequest[] = [];
  /** What scripts threw. */
  readonly faults: unknown[] = [];
  private readonly server: Server;
  private waiting: (() => void)[] = [];

  private constructor(script: Script) {
    this.server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
      const peer = new ScriptedPeer(socket, this.peers.length, this);
      this.peers.push(peer);
      socket.on('close', () => this.wake());
      this.wake();
      this.run(script, peer).catch((fault: unknown) => this.faults.push(fault));
    });
  }

  /** Listens on a port of its own on loopback, or where `at` says. */
  static async start(script: Script, at: ListenOptions = { port: 0, host: '127.0.0.1' }): Promise<ScriptedBackend> {
    const backend = new ScriptedBackend(script);
    backend.server.listen(at);
    await once(backend.server, 'listening');
    return backend;
  }

  private async run(script: Script, peer: ScriptedPeer): Promise<void> {
    await script(peer);
  }

  get destination(): { host: string; port: number } | { path: string } {
    const address = this.server.address() as AddressInfo | string;
    return typeof address === 'string' ? { path: address } : { host: address.address, port: address.port };
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Connections accepted so far. */
  get connections(): number {
    return this.peers.length;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.peers.filter((peer) => !peer.closed).length;
  }

  heard(request: StrictRequest): void {
    this.requests.push(request);
    this.wake();
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  /** Waits until a condition on connections and requests holds. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  async close(): Promise<void> {
    for (const peer of this.peers) peer.close();
    if (!this.server.listening) return;
    this.server.close();
    await once(this.server, 'close');
  }
}
