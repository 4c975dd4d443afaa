import { writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Cores } from './measure/measure.ts';
import { residentMemory } from './measure/measure-memory.ts';
import { out } from './paths.ts';
import { type Peer, startPeer } from './peer.ts';

/** How resident memory moved while one body of many gigabytes passed, once it had begun. */
export type Transfer = {
  direction: 'down' | 'up';
  gigabytes: number;
  seconds: number;
  lowest: number;
  highest: number;
};

const BLOCK = Buffer.alloc(1 << 20, 'x');
/** What passes before memory is watched: buffers and compiled code are there by then. */
const BEGINNING = 512 * BLOCK.length;

/** Sends one body down and one up through a proxy, as long as asked for. */
export async function transfer(peer: Peer, cores: Cores, gigabytes: number): Promise<Transfer[]> {
  const length = gigabytes * 1e9;
  const backend = await startBackend(length);
  const proxy = await startPeer(peer, cores.proxy, (backend.address() as AddressInfo).port);
  try {
    const transfers: Transfer[] = [];
    for (const direction of ['down', 'up'] as const) {
      const watched = { passed: 0, lowest: Number.POSITIVE_INFINITY, highest: 0 };
      const timer = setInterval(() => {
        if (watched.passed < BEGINNING) return;
        const bytes = residentMemory(proxy.pid);
        watched.lowest = Math.min(watched.lowest, bytes);
        watched.highest = Math.max(watched.highest, bytes);
      }, 50);
      const start = performance.now();
      const count = (bytes: number): void => {
        watched.passed += bytes;
      };
      await (direction === 'down' ? download(proxy.port, length, count) : upload(proxy.port, length, count));
      clearInterval(timer);
      const { lowest, highest } = watched;
      transfers.push({ direction, gigabytes, seconds: (performance.now() - start) / 1000, lowest, highest });
    }
    writeFileSync(join(out, 'transfer.json'), `${JSON.stringify(transfers, null, 1)}\n`);
    return transfers;
  } finally {
    await proxy.stop();
    backend.closeAllConnections();
    backend.close();
  }
}

async function startBackend(length: number): Promise<Server> {
  const server = createServer(async (asked, response) => {
    if (asked.method === 'GET') {
      response.writeHead(200, { 'content-length': length });
      await pipeline(Readable.from(blocks(length)), response).catch(() => {});
      return;
    }
    let received = 0;
    for await (const chunk of asked) received += (chunk as Buffer).length;
    response.end(String(received));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function* blocks(length: number, count: (bytes: number) => void = () => {}): Generator<Buffer> {
  for (let left = length; left > 0; left -= BLOCK.length) {
    const block = left >= BLOCK.length ? BLOCK : BLOCK.subarray(0, left);
    count(block.length);
    yield block;
  }
}

function download(port: number, length: number, count: (bytes: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = 0;
    const asked = request({ port, host: '127.0.0.1', path: '/file' }, (response) => {
      response.on('data', (bytes: Buffer) => {
        received += bytes.length;
        count(bytes.length);
      });
      response.on('error', reject);
      response.on('end', () => (received === length ? resolve() : reject(new Error(`${received} bytes came`))));
    });
    asked.once('error', reject).end();
  });
}

function upload(port: number, length: number, count: (bytes: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': length };
    const asked = request({ port, host: '127.0.0.1', path: '/file', method: 'PUT', headers }, (response) => {
      let text = '';
      response.on('data', (bytes: Buffer) => {
        text += bytes.toString();
      });
      response.on('end', () => (text === String(length) ? resolve() : reject(new Error(`the backend got ${text}`))));
    });
    asked.once('error', reject);
    pipeline(Readable.from(blocks(length, count)), asked).catch(reject);
  });
}
