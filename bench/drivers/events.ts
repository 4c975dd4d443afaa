/** Server-sent events: how long each takes from the moment the backend sends it until the client has it. */
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { LoadResult } from '../measure/load-process.ts';
import { drive, latencies } from './driver.ts';

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '3' },
    warmup: { type: 'string', default: '1' },
  },
});

const INTERVAL = 5;
const listeners: ServerResponse[] = [];
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  listeners.push(response);
});

let times: number[] = [];
let received = 0;

function follow(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/api/v1/orders/events' }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the answer is ${response.statusCode}`));
      response.on('data', (bytes: Buffer) => {
        for (const match of bytes.toString().matchAll(/data: ([\d.]+)/g)) {
          received++;
          times.push((performance.now() - Number(match[1])) * 1000);
        }
      });
      resolve();
    }).once('error', reject);
  });
}

async function emit(seconds: number): Promise<LoadResult> {
  times = [];
  received = 0;
  let sent = 0;
  const start = performance.now();
  while (performance.now() - start < seconds * 1000) {
    for (const response of listeners) response.write(`data: ${performance.now()}\n\n`);
    sent += listeners.length;
    await sleep(INTERVAL);
  }
  for (let tries = 0; tries < 200 && received < sent; tries++) await sleep(10);
  return { requests: received, excluded: 0, seconds, ...latencies(times), faults: { lost: sent - received } };
}

await drive({
  async start() {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  },
  async warm(port) {
    await Promise.all(Array.from({ length: Number(values.connections) }, () => follow(port)));
    await emit(Number(values.warmup));
  },
  run: () => emit(Number(values.seconds)),
  stop() {
    server.closeAllConnections();
    server.close();
  },
});
