import { expect, it } from 'vitest';
import { AccessLog, type LineWriter } from '../../dataplane/access-log.ts';
import type { Finished } from '../../dataplane/http/listener.ts';

const request: Finished = {
  method: 'GET',
  path: '/',
  host: 'h',
  status: 200,
  milliseconds: 1.5,
  sent: 10,
  remote: '127.0.0.1',
  refusal: null,
};

/** A destination that takes lines when it is told to. */
function destination(): { write: LineWriter; text: () => string; take: () => void; waiting: () => number } {
  let text = '';
  const done: (() => void)[] = [];
  return {
    write: (lines, written) => {
      text += lines.toString('latin1');
      done.push(written);
    },
    text: () => text,
    take: () => done.shift()?.(),
    waiting: () => done.length,
  };
}

async function closed(log: AccessLog, { take, waiting }: ReturnType<typeof destination>): Promise<void> {
  const closing = log.close();
  while (waiting() > 0) {
    take();
    await null;
    await null;
  }
  await closing;
}

const parsed = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('writes a line of JSON for each request', async () => {
  const target = destination();
  const log = new AccessLog(target.write, 3);
  log.record(request);
  log.record({ ...request, path: '/a"b', status: 404, refusal: 'target' });
  log.record({ ...request, method: 'POST', remote: '::1', host: 'other', sent: 0, milliseconds: 0.0004 });
  await closed(log, target);
  const common = { level: 30, msg: 'request', unit: 3, time: expect.any(Number) };
  expect(parsed(target.text())).toEqual([
    { ...common, remote: '127.0.0.1', method: 'GET', host: 'h', path: '/', status: 200, bytes: 10, us: 1500 },
    {
      ...common,
      remote: '127.0.0.1',
      method: 'GET',
      host: 'h',
      path: '/a"b',
      status: 404,
      bytes: 10,
      us: 1500,
      refusal: 'target',
    },
    { ...common, remote: '::1', method: 'POST', host: 'other', path: '/', status: 200, bytes: 0, us: 0 },
  ]);
});

it('keeps lines whole, however long and however many', async () => {
  const target = destination();
  const log = new AccessLog(target.write, 0);
  const paths = Array.from({ length: 300 }, (_, i) => `/${i}/${'"'.repeat((i * 977) % 66_000)}`);
  for (const path of paths) log.record({ ...request, path });
  log.record({ ...request, host: 'h'.repeat(1_000_000) });
  await closed(log, target);
  const lines = parsed(target.text());
  expect(lines.map(({ path }) => path)).toEqual([...paths, '/']);
  expect(lines.at(-1)!['host']).toHaveLength(1_000_000);
  expect(log.dropped).toBe(0);
});

it('drops lines, and counts them, rather than fill the memory when nobody takes them', async () => {
  const target = destination();
  const log = new AccessLog(target.write, 0);
  const path = `/${'a'.repeat(60_000)}`;
  const count = 3000;
  for (let i = 0; i < count; i++) log.record({ ...request, path });
  expect(log.dropped).toBeGreaterThan(0);
  await closed(log, target);
  expect(parsed(target.text())).toHaveLength(count - log.dropped);
});
