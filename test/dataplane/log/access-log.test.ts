import { expect, it } from 'vitest';
import type { Finished } from '../../../dataplane/engine/client/finished.ts';
import { refusals } from '../../../dataplane/engine/message/refusal.ts';
import { AccessLog, type LineWriter } from '../../../dataplane/log/access-log.ts';
import { JsonAccessLines } from '../../../dataplane/log/json-access-lines.ts';

const request: Finished = {
  method: 'GET',
  path: '/',
  host: 'h',
  status: 200,
  milliseconds: 1.5,
  firstByte: 1,
  sent: 10,
  remote: '127.0.0.1',
  refusal: null,
  decision: null,
  ids: null,
  route: null,
  backend: null,
  user: null,
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
  const log = new AccessLog(target.write, new JsonAccessLines(3));
  log.record(request);
  log.record({ ...request, path: '/a"b', status: 404, refusal: 'target' });
  log.record({ ...request, method: 'POST', remote: '::1', host: 'other', sent: 0, milliseconds: 0.0004, firstByte: 0 });
  await closed(log, target);
  const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const common = { level: 30, msg: 'request', unit: 3, time: iso };
  const first = { ...common, remote: '127.0.0.1', method: 'GET', host: 'h', bytes: 10, us: 1500, firstByteUs: 1000 };
  const refused = { refusal: 'target', reason: refusals.target.reason };
  expect(parsed(target.text())).toEqual([
    { ...first, path: '/', status: 200 },
    { ...first, path: '/a"b', status: 404, ...refused },
    {
      ...common,
      remote: '::1',
      method: 'POST',
      host: 'other',
      path: '/',
      status: 200,
      bytes: 0,
      us: 0,
      firstByteUs: 0,
    },
  ]);
});

it('has client, route, backend and the reason of a filter', async () => {
  const target = destination();
  const log = new AccessLog(target.write, new JsonAccessLines(0));
  const decision = {
    refusal: 'insufficient-scope',
    reason: `the scope 'ü"' is missing`,
    object: 'orders.guard',
    type: 'OAuth2ResourceServerFilter',
  } as const;
  const ids = { requestId: 'r-1', traceId: 'f'.repeat(32) };
  log.record({ ...request, ids, route: 'orders', backend: '192.0.2.1:80', user: 'kim "\u{1f600}\n' });
  log.record({ ...request, route: 'orders', user: 'kim', status: 403, refusal: 'insufficient-scope', decision });
  log.record({ ...request, status: 502, refusal: 'backend-connect', decision });
  await closed(log, target);
  const [passed, refused, failed] = parsed(target.text());
  expect(passed).toMatchObject({ ...ids });
  expect(passed).toMatchObject({ route: 'orders', backend: '192.0.2.1:80', user: 'kim "\u{1f600}\n' });
  expect(refused).toMatchObject({ route: 'orders', user: 'kim', refusal: 'insufficient-scope' });
  expect(refused).toMatchObject({ reason: decision.reason, object: decision.object });
  expect(refused).not.toHaveProperty('backend');
  expect(failed).toMatchObject({ refusal: 'backend-connect', reason: refusals['backend-connect'].reason });
  expect(failed).not.toHaveProperty('object');
});

it('keeps lines complete for any length and number', async () => {
  const target = destination();
  const log = new AccessLog(target.write, new JsonAccessLines(0));
  const paths = Array.from({ length: 300 }, (_, i) => `/${i}/${'"'.repeat((i * 977) % 66_000)}`);
  for (const path of paths) log.record({ ...request, path });
  log.record({ ...request, host: 'h'.repeat(1_000_000) });
  await closed(log, target);
  const lines = parsed(target.text());
  expect(lines.map(({ path }) => path)).toEqual([...paths, '/']);
  expect(lines.at(-1)!['host']).toHaveLength(1_000_000);
  expect(log.dropped).toBe(0);
});

it('drops and counts lines instead of filling the memory when they are not read', async () => {
  const target = destination();
  const log = new AccessLog(target.write, new JsonAccessLines(0));
  const path = `/${'a'.repeat(60_000)}`;
  const count = 3000;
  for (let i = 0; i < count; i++) log.record({ ...request, path });
  expect(log.dropped).toBeGreaterThan(0);
  await closed(log, target);
  expect(parsed(target.text())).toHaveLength(count - log.dropped);
});
