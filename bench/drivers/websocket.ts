/** Messages of 64 bytes, each sent when the echo of the one before is back, on many WebSockets at a time. */
import { createHash, randomBytes } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import type { LoadResult } from '../measure/load-process.ts';
import { drive, latencies } from './driver.ts';

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '3' },
    warmup: { type: 'string', default: '1' },
  },
});

const PAYLOAD = 64;
const MASKED = 6 + PAYLOAD;
const PLAIN = 2 + PAYLOAD;

/** Answers every masked message with the same bytes unmasked. */
const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  let open = false;
  let held: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    if (!open) {
      const end = held.indexOf('\r\n\r\n');
      if (end < 0) return;
      const key = /sec-websocket-key: *(\S+)/i.exec(held.latin1Slice(0, end))?.[1] ?? '';
      const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
      held = held.subarray(end + 4);
      open = true;
    }
    const count = Math.floor(held.length / MASKED);
    if (count === 0) return;
    const answer = Buffer.allocUnsafe(count * PLAIN);
    for (let i = 0; i < count; i++) {
      const from = i * MASKED;
      const to = i * PLAIN;
      answer[to] = held[from]!;
      answer[to + 1] = PAYLOAD;
      for (let k = 0; k < PAYLOAD; k++) answer[to + 2 + k] = held[from + 6 + k]! ^ held[from + 2 + (k & 3)]!;
    }
    held = held.subarray(count * MASKED);
    socket.write(answer);
  });
});

let clients: Socket[] = [];
let sent = 0;
let answered = 0;
let faults = 0;
let pausing: (() => void) | null = null;
const sentAt: number[] = [];
let times: number[] = [];

function openClient(port: number, index: number): Promise<Socket> {
  const message = Buffer.concat([Buffer.from([0x82, 0x80 | PAYLOAD]), randomBytes(4), randomBytes(PAYLOAD)]);
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let open = false;
    let got = 0;
    socket.on('error', reject);
    socket.on('close', () => {
      if (pausing === null) faults++;
    });
    socket.write(
      'GET /socket HTTP/1.1\r\nHost: orders.example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const send = (): void => {
      sent++;
      sentAt[index] = performance.now();
      socket.write(message);
    };
    socket.on('data', (bytes: Buffer) => {
      if (!open) {
        if (!bytes.latin1Slice(0, 12).startsWith('HTTP/1.1 101')) {
          reject(new Error(bytes.toString()));
          return;
        }
        open = true;
        starters[index] = send;
        resolve(socket);
        return;
      }
      got += bytes.length;
      if (got < PLAIN) return;
      got -= PLAIN;
      answered++;
      times.push((performance.now() - sentAt[index]!) * 1000);
      if (pausing === null) send();
      else if (answered === sent) pausing();
    });
  });
}

const starters: (() => void)[] = [];

async function exchange(seconds: number): Promise<LoadResult> {
  const from = answered;
  times = [];
  const start = performance.now();
  for (const send of starters) send();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  await new Promise<void>((resolve) => {
    pausing = resolve;
  });
  pausing = null;
  const took = (performance.now() - start) / 1000;
  return { requests: answered - from, excluded: 0, seconds: took, ...latencies(times), faults: { closed: faults } };
}

await drive({
  async start() {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve));
    return (server.address() as AddressInfo).port;
  },
  async warm(port) {
    clients = await Promise.all(Array.from({ length: Number(values.connections) }, (_, i) => openClient(port, i)));
    await exchange(Number(values.warmup));
  },
  run: () => exchange(Number(values.seconds)),
  stop() {
    for (const client of clients) client.destroy();
    server.close();
  },
});
