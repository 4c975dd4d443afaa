/** `npm run bench:audit`: CPU time of a request with an access event in a JSON file, over the same request without. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { scriptOptions } from '../../platform/script-options.ts';
import { GatewayProcess } from '../../test/support/gateways/gateway-process.ts';
import { InstanceFolder } from '../../test/support/gateways/instance-folder.ts';
import { readCpu } from '../measure/measure-cpu.ts';
import { spreadOf } from '../measure/statistics.ts';

const USAGE = `usage: npm run bench:audit -- [ROUNDS] [REQUESTS]
CPU time of a request with an access event in a JSON file, over the same request without, in microseconds. It counts
all threads of the gateway, also the one that writes the file. The goal is at most 3.
  ROUNDS    how often both are measured, in turn (15)
  REQUESTS  of one measurement (20000)
`;
const CONNECTIONS = 16;
const REQUEST = Buffer.from(
  'GET /api/v1/orders/1234567?expand=lines HTTP/1.1\r\nHost: shop.example.com\r\nUser-Agent: bench/1.0\r\n' +
    'Accept: application/json\r\nX-Request-Id: 0123456789abcdef\r\n\r\n',
);
const END_OF_HEAD = Buffer.from('\r\n\r\n');

const { words } = scriptOptions(USAGE, {}, 2);
const [rounds, requests] = [Number(words[0] ?? 15), Number(words[1] ?? 20_000)];
const each = Math.ceil(requests / CONNECTIONS);

/** Sends requests one after the other on one connection. The answers have no body. */
function requester(port: number): Promise<{ send(count: number): Promise<void>; socket: Socket }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let left = 0;
    let done: () => void = () => {};
    socket.once('error', reject);
    socket.on('data', (bytes: Buffer) => {
      if (bytes.indexOf(END_OF_HEAD) < 0) throw new Error('an answer came in parts');
      if (--left > 0) socket.write(REQUEST);
      else done();
    });
    socket.once('connect', () =>
      resolve({
        socket,
        send(count) {
          left = count;
          return new Promise((finished) => {
            done = finished;
            socket.write(REQUEST);
          });
        },
      }),
    );
  });
}

/** Counts the lines of a file as it grows, so that nobody has to ask the gateway what it has written. */
function lineCounter(path: string): { reaches(count: number): Promise<void>; close(): void } {
  const chunk = Buffer.alloc(1 << 20);
  let file = -1;
  let lines = 0;
  const read = (): void => {
    if (file < 0) file = openSync(path, 'r');
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      for (let at = chunk.indexOf(10); at >= 0 && at < length; at = chunk.indexOf(10, at + 1)) lines++;
    }
  };
  return {
    async reaches(count) {
      for (read(); lines < count; read()) await pause(2);
    },
    close: () => {
      if (file >= 0) closeSync(file);
    },
  };
}

/** A gateway that answers by itself, so that little else costs time. */
async function start(logDirectory: string | null) {
  const handler = { class: 'JsonAuditEventHandler', config: { name: 'files', topics: ['access'], logDirectory } };
  const folder = new InstanceFolder({
    'config/routes/all.json': {
      handler: { type: 'StaticResponseHandler', config: { status: 204 } },
      ...(logDirectory === null
        ? {}
        : { auditService: { type: 'AuditService', config: { eventHandlers: [handler] } } }),
    },
  });
  const gateway = await GatewayProcess.run(folder.path);
  const written = logDirectory === null ? null : lineCounter(join(logDirectory, 'access.audit.json'));
  let sent = 0;
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => requester(gateway.port)));
  return {
    /** Microseconds of CPU time for a request. */
    async measure(): Promise<number> {
      const before = readCpu(gateway.pid, process.pid);
      await Promise.all(connections.map(({ send }) => send(each)));
      sent += each * CONNECTIONS;
      await written?.reaches(sent);
      return (readCpu(gateway.pid, process.pid).proxy - before.proxy) / (each * CONNECTIONS) / 1000;
    },
    async stop(): Promise<void> {
      written?.close();
      for (const { socket } of connections) socket.destroy();
      await gateway.stop();
      folder[Symbol.dispose]();
    },
  };
}

const files = mkdtempSync(join(tmpdir(), 'gatewarden-bench-audit-'));
const [plain, audited] = [await start(null), await start(files)];
try {
  for (const one of [plain, audited, plain, audited]) await one.measure(); // until everything is compiled
  const figures = { plain: [] as number[], audited: [] as number[], more: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const isEven = round % 2 === 0;
    const first = await (isEven ? plain : audited).measure();
    const second = await (isEven ? audited : plain).measure();
    const [without, withEvent] = isEven ? [first, second] : [second, first];
    figures.plain.push(without);
    figures.audited.push(withEvent);
    figures.more.push(withEvent - without);
  }
  for (const [name, values] of Object.entries(figures)) {
    const { median, low, high } = spreadOf(values)!;
    const label = { plain: 'without an event', audited: 'with an event', more: 'difference' }[name]!;
    console.log(`${label}: median ${median.toFixed(2)} µs, quartiles ${low.toFixed(2)} to ${high.toFixed(2)}`);
  }
  console.log(`${rounds} rounds of ${requests} requests; load of the machine ${loadavg()[0]!.toFixed(1)}`);
} finally {
  await Promise.all([plain.stop(), audited.stop()]);
  rmSync(files, { recursive: true, force: true });
}
