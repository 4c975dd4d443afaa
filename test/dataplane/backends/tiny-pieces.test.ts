import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { takeWhole } from '../../../dataplane/backends/whole-content.ts';
import { Body } from '../../../dataplane/engine/message/body.ts';
import { heldContent } from '../../../dataplane/engine/message/held-content.ts';
import type { TemporaryStorage } from '../../../dataplane/heap/objects/temporary-storage.ts';
import { SpillingStorage } from '../../../dataplane/services/spilling-storage.ts';
import { ScriptedBackend } from '../../support/backends/scripted-backend.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { RawClient } from '../../support/clients/raw-client.ts';
import { serve } from '../../support/gateways/served.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const MEGABYTE = 1 << 20;
const MESSAGES = 30;
/** Without time-outs: a busy machine takes long over so many chunks. */
const handler = {
  type: 'ReverseProxyHandler',
  config: { asyncBehavior: 'non_streaming', soTimeout: 'zero', connectionTimeout: 'zero' },
};
const limits = { bodyRate: 0, readRate: 0, headTimeout: 300_000 };
/** A megabyte in chunks of one byte. */
const tiny = Buffer.concat([Buffer.alloc(6 * MEGABYTE, '1\r\nx\r\n'), Buffer.from('0\r\n\r\n')]);

/** Runs something. @returns by how much the process grew meanwhile, in bytes. */
async function growth(run: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  await run();
  clearInterval(timer);
  return Math.max(most, process.memoryUsage.rss()) - before;
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** How many bytes of content came behind a head. */
async function received(socket: Socket): Promise<number> {
  let bytes = 0;
  let head = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    const text = chunk.toString('latin1');
    if (!head.includes('\r\n\r\n')) head += text;
    bytes += chunk.length;
  }
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  return bytes - head.indexOf('\r\n\r\n') - 4;
}

describe('messages in chunks of one byte that have to be whole', () => {
  it('use the memory of their content when clients send them', async () => {
    const app = await ScriptedBackend.start(async ({ socket }) => {
      let head = '';
      let bytes = 0;
      socket.on('data', (chunk: Buffer) => {
        if (!head.includes('\r\n\r\n')) head += chunk.toString('latin1');
        bytes += chunk.length;
        if (bytes - head.indexOf('\r\n\r\n') - 4 < MEGABYTE) return;
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
      });
    });
    onTestFinished(() => app.close());
    const gateway = await serve(handler, [], { limits });
    const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const grown = await growth(async () => {
      const clients = await Promise.all(Array.from({ length: MESSAGES }, () => connected(gateway.port)));
      for (const client of clients) {
        client.write(head);
        client.write(tiny);
      }
      expect(await Promise.all(clients.map(received))).toEqual(clients.map(() => 2));
    });
    expect(grown).toBeLessThan(700 * MEGABYTE); // without care it is more than two gigabytes
    expect(heldContent.bytes).toBe(0);
  });

  it('use the memory of their content when a backend sends them to clients that do not read', async () => {
    const app = await ScriptedBackend.start(async (peer) => {
      await once(peer.socket, 'data');
      peer.socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n');
      peer.socket.end(tiny);
    });
    onTestFinished(() => app.close());
    const gateway = await serve(handler, [], { limits });
    const head = `GET / HTTP/1.1\r\nHost: 127.0.0.1:${app.port}\r\nConnection: close\r\n\r\n`;
    const grown = await growth(async () => {
      const clients = await Promise.all(Array.from({ length: MESSAGES }, () => connected(gateway.port)));
      for (const client of clients) client.write(head);
      await untilTrue(() => app.peers.length === MESSAGES && app.peers.every(({ socket }) => socket.destroyed));
      expect(await Promise.all(clients.map(received))).toEqual(clients.map(() => MEGABYTE));
    });
    expect(grown).toBeLessThan(700 * MEGABYTE);
    expect(heldContent.bytes).toBe(0);
  });
});

describe('a buffered body', () => {
  const source = { pauseBody() {}, resumeBody() {}, abandonBody() {}, bodyWanted() {} };
  const x = Buffer.from('x');

  it('is written to the storage in few calls even in tiny pieces', async () => {
    let writes = 0;
    let stored = 0;
    const storage: TemporaryStorage = {
      memoryLimit: 1000,
      limit: MEGABYTE,
      open: () => ({
        get length() {
          return stored;
        },
        async write(bytes) {
          writes++;
          stored += bytes.length;
        },
        async *read() {},
        async release() {},
      }),
    };
    const body = new Body(source, -1);
    const taken = takeWhole(body, { storage, limit: MEGABYTE, setting: '', ofResponse: false });
    for (let i = 0; i < MEGABYTE; i++) {
      body.push(x, 0, 1);
      if (i % 10_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    body.finish('');
    expect((await taken).length).toBe(MEGABYTE);
    expect(writes).toBeLessThan(150);
    expect(heldContent.bytes).toBe(0);
  });

  it('goes to a file as soon as all messages together exceed the memory limit', async () => {
    const { limit } = heldContent;
    onTestFinished(() => void (heldContent.limit = limit));
    heldContent.limit = 10_000;
    const directory = watchedDirectory();
    const storage = new SpillingStorage({ memoryLimit: 65_536, limit: MEGABYTE, directory: directory.path });
    const bodies = Array.from({ length: 20 }, () => new Body(source, -1));
    const taken = bodies.map((body) => takeWhole(body, { storage, limit: MEGABYTE, setting: '', ofResponse: false }));
    for (let i = 0; i < 5000; i++) {
      for (const body of bodies) body.push(x, 0, 1);
      expect(heldContent.bytes).toBeLessThanOrEqual(heldContent.limit);
    }
    for (const body of bodies) body.finish('');
    const kept = await Promise.all(taken);
    expect(kept.map(({ length }) => length)).toEqual(bodies.map(() => 5000));
    expect(kept.filter(({ bytes }) => bytes === null).length).toBeGreaterThan(17);
    expect(directory.open()).toBeGreaterThan(17);
    for (const one of kept) one.release();
    await storage.close();
    expect(heldContent.bytes).toBe(0);
  });
});

describe('bodies that expressions read', () => {
  const condition = "${not contains(request.entity.string, 'forbidden')}";
  const reading = {
    type: 'Chain',
    config: {
      filters: [{ type: 'ConditionEnforcementFilter', config: { condition } }],
      handler: { type: 'StaticResponseHandler', config: { status: 200 } },
    },
  };
  const head = 'POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 600000\r\n\r\n';
  const half = Buffer.alloc(300_000, 'x');

  it('are rejected with 503 while the memory is full, and served again afterwards', async () => {
    const gateway = await serve(reading, [], { limits: { heldBytes: 1_000_000 } });
    onTestFinished(() => void (heldContent.limit = 128 << 20));
    const whole = (client: RawClient): Promise<string> => client.untilClosed();
    const [first, second, third] = await Promise.all([0, 1, 2].map(() => RawClient.connect(gateway.port)));
    first!.send(head);
    first!.send(half);
    first!.send(half.subarray(1));
    await untilTrue(() => heldContent.bytes >= 599_999);
    second!.send(head);
    second!.send(half);
    second!.send(half);
    expect(await whole(second!)).toMatch(/^HTTP\/1\.1 503 .*"memory-full"/s);
    first!.send('x');
    expect(await whole(first!)).toMatch(/^HTTP\/1\.1 200 /);
    expect(heldContent.bytes).toBe(0);
    third!.send(head);
    third!.send(half);
    third!.send(half);
    expect(await whole(third!)).toMatch(/^HTTP\/1\.1 200 /);
    expect(heldContent.bytes).toBe(0);
  });
});
