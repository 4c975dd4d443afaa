import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A request as a strict RFC 9112 reader sees it. */
export interface StrictRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** What was wrong with the bytes that reached the backend. */
export class NotStrict extends Error {}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const REQUEST_LINE = new RegExp(`^(${TOKEN}) ([\\x21-\\x7e]+) HTTP/1\\.1$`);
const FIELD = new RegExp(
  `^(${TOKEN}):[ \\t]*((?:[\\x21-\\x7e\\x80-\\xff](?:[ \\t\\x21-\\x7e\\x80-\\xff]*[\\x21-\\x7e\\x80-\\xff])?)?)[ \\t]*$`,
);

/**
 * Reads one request off the front of `text` by the letter of RFC 9112. @returns null while it is incomplete.
 * @throws NotStrict for anything that two readers could read differently.
 */
export function readStrictRequest(text: string): { request: StrictRequest; length: number } | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const lines = text.slice(0, end).split('\r\n');
  const line = REQUEST_LINE.exec(lines[0]!);
  if (line === null) throw new NotStrict(`request line ${JSON.stringify(lines[0])}`);
  const headers = lines.slice(1).map((field) => {
    const match = FIELD.exec(field);
    if (match === null) throw new NotStrict(`field ${JSON.stringify(field)}`);
    return [match[1]!.toLowerCase(), match[2]!] as const;
  });
  const values = (name: string): string[] => headers.filter((header) => header[0] === name).map((header) => header[1]);
  if (values('host').length !== 1) throw new NotStrict(`${values('host').length} Host headers`);
  const lengths = values('content-length');
  const codings = values('transfer-encoding');
  if (lengths.length + codings.length > 1) throw new NotStrict('ambiguous framing');
  const start = end + 4;
  const build = (body: string, length: number) => ({
    request: { method: line[1]!, target: line[2]!, headers, body },
    length,
  });
  if (codings.length === 1) {
    if (codings[0] !== 'chunked') throw new NotStrict(`transfer coding ${codings[0]}`);
    const chunked = readStrictChunks(text, start);
    return chunked === null ? null : build(chunked.body, chunked.end);
  }
  const length = lengths.length === 0 ? 0 : Number(lengths[0]);
  if (lengths.length === 1 && !/^\d+$/.test(lengths[0]!)) throw new NotStrict(`content length ${lengths[0]}`);
  return text.length < start + length ? null : build(text.slice(start, start + length), start + length);
}

function readStrictChunks(text: string, start: number): { body: string; end: number } | null {
  let at = start;
  let body = '';
  for (;;) {
    const newline = text.indexOf('\r\n', at);
    if (newline < 0) {
      if (!/^[0-9A-Fa-f]*\r?$/.test(text.slice(at))) throw new NotStrict('chunk size');
      return null;
    }
    const size = text.slice(at, newline);
    if (!/^[0-9A-Fa-f]+$/.test(size)) throw new NotStrict(`chunk size ${JSON.stringify(size)}`);
    const length = Number.parseInt(size, 16);
    at = newline + 2;
    if (length === 0) break;
    if (text.length < at + length + 2) return null;
    if (text.slice(at + length, at + length + 2) !== '\r\n') throw new NotStrict('chunk end');
    body += text.slice(at, at + length);
    at += length + 2;
  }
  for (;;) {
    const newline = text.indexOf('\r\n', at);
    if (newline < 0) return null;
    const line = text.slice(at, newline);
    at = newline + 2;
    if (line === '') return { body, end: at };
    if (!FIELD.test(line)) throw new NotStrict(`trailer ${JSON.stringify(line)}`);
  }
}

/** A backend that reads by the letter, answers every request with what it saw, and remembers everything. */
export class StrictBackend {
  readonly requests: StrictRequest[] = [];
  readonly violations: string[] = [];
  connections = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor() {
    this.server = createServer({ noDelay: true }, (socket) => this.serve(socket));
  }

  static async start(): Promise<StrictBackend> {
    const backend = new StrictBackend();
    backend.server.listen(0, '127.0.0.1');
    await once(backend.server, 'listening');
    return backend;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  private serve(socket: Socket): void {
    this.connections++;
    this.sockets.add(socket);
    let text = '';
    socket.on('error', () => {});
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      try {
        for (let read = readStrictRequest(text); read !== null; read = readStrictRequest(text)) {
          text = text.slice(read.length);
          this.requests.push(read.request);
          const { method, target, headers, body } = read.request;
          const answer = JSON.stringify({ method, target, headers, body });
          socket.write(
            `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(answer)}\r\n\r\n` +
              (method === 'HEAD' ? '' : answer),
          );
        }
      } catch (error) {
        this.violations.push(String(error));
        socket.destroy();
      }
    });
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
