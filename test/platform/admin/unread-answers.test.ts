import { once } from 'node:events';
import { connect } from 'node:net';
import { request } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { textAnswer } from '../../../platform/admin/admin-answer.ts';
import { openGuard } from '../../../platform/admin/admin-guard.ts';
import { AdminServer } from '../../../platform/admin/admin-server.ts';
import { AdminTable } from '../../../platform/admin/admin-table.ts';

/** All answers share it, so that the test itself needs little memory. */
const LONG = Buffer.alloc(64 << 20, 'x');

it('holds a bounded number of bytes for clients that do not read their answers', async () => {
  const table = new AdminTable([
    { method: 'GET', path: '/long', guard: openGuard, answer: () => ({ status: 200, type: 'text/plain', body: LONG }) },
    { method: 'GET', path: '/short', guard: openGuard, answer: () => textAnswer(200, 'short') },
  ]);
  const server = new AdminServer({ table: () => table, guard: openGuard, failed: () => undefined });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const status = async (path: string): Promise<number> => {
    const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`);
    await body.dump({ limit: LONG.length + 1 });
    return statusCode;
  };
  for (let round = 0; round < 4; round++) {
    // Of two requests at once, the second one has to wait for the first one's answer to be sent.
    const unread = Array.from({ length: 2 }, () => connect(port, '127.0.0.1'));
    for (const socket of unread) {
      socket.write('GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2));
      await once(socket, 'readable');
    }
    await vi.waitFor(async () => expect(await status('/long')).toBe(503), { timeout: 20_000 });
    expect(await status('/short')).toBe(200);
    for (const socket of unread) socket.destroy();
    await vi.waitFor(async () => expect(await status('/long')).toBe(200), { timeout: 20_000 });
  }
});

it('makes no more of a long answer than its client takes, and ends it when the client leaves', async () => {
  let made = 0;
  const ended = Promise.withResolvers<void>();
  async function* pieces(): AsyncGenerator<string> {
    try {
      for (; made < 4096; made++) yield 'x'.repeat(65_536);
    } finally {
      ended.resolve();
    }
  }
  const answer = () => ({ status: 200, type: 'text/plain', body: pieces() });
  const table = new AdminTable([{ method: 'GET', path: '/long', guard: openGuard, answer }]);
  const server = new AdminServer({ table: () => table, guard: openGuard, failed: () => undefined });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  const unread = connect(port, '127.0.0.1').pause();
  unread.write('GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await vi.waitFor(() => expect(made).toBeGreaterThan(1), { timeout: 20_000 });
  unread.destroy();
  await ended.promise;
  expect(made).toBeLessThan(1024);
  made = 4000;
  const { body } = await request(`http://127.0.0.1:${port}/long`);
  expect((await body.text()).length).toBe(96 * 65_536);
});
