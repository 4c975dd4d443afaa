import { describe, expect, it } from 'vitest';
import type { Finished } from '../../../dataplane/engine/client/finished.ts';
import { RequestIds } from '../../../dataplane/engine/client/request-ids.ts';
import { refusals } from '../../../dataplane/engine/message/refusal.ts';
import { clock } from '../../../dataplane/engine/wire/clock.ts';
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
  const given = { requestId: 'r-1', trace: { id: 'f'.repeat(32), flags: '01', state: null } };
  log.record({
    ...request,
    ids: new RequestIds(given),
    route: 'orders',
    backend: '192.0.2.1:80',
    user: 'kim "\u{1f600}\n',
  });
  log.record({ ...request, route: 'orders', user: 'kim', status: 403, refusal: 'insufficient-scope', decision });
  log.record({ ...request, status: 502, refusal: 'backend-connect', decision });
  await closed(log, target);
  const [passed, refused, failed] = parsed(target.text());
  expect(passed).toMatchObject({ requestId: 'r-1', traceId: 'f'.repeat(32) });
  expect(passed).toMatchObject({ route: 'orders', backend: '192.0.2.1:80', user: 'kim "\u{1f600}\n' });
  expect(refused).toMatchObject({ route: 'orders', user: 'kim', refusal: 'insufficient-scope' });
  expect(refused).toMatchObject({ reason: decision.reason, object: decision.object });
  expect(refused).not.toHaveProperty('backend');
  expect(failed).toMatchObject({ refusal: 'backend-connect', reason: refusals['backend-connect'].reason });
  expect(failed).not.toHaveProperty('object');
});

describe('a line of JSON', () => {
  const ids = new RequestIds(null);
  const decision = { refusal: 'target', reason: 'so', object: 'an.object', type: 'T' } as const;
  const changes: Readonly<Record<string, Partial<Finished>>> = {
    method: { method: 'POST' },
    path: { path: '/a/longer/path' },
    'a path with a quote': { path: '/"' },
    host: { host: 'other.example' },
    status: { status: 204 },
    'bytes sent': { sent: 1234 },
    remote: { remote: '2001:db8::1' },
    route: { route: 'orders' },
    backend: { backend: '192.0.2.1:80' },
    user: { user: 'kim' },
    refusal: { refusal: 'target' },
    'refusal of an object': { refusal: 'target', decision },
    ids: { ids },
    'ids of a peer': { ids: new RequestIds({ requestId: 'given', trace: null }) },
    durations: { milliseconds: 12_345.678, firstByte: 0.001 },
    'very long durations': { milliseconds: 3e6, firstByte: 2_147_483.648 },
    'a long host': { host: 'h'.repeat(100_000) },
  };
  const text = (lines: JsonAccessLines, finished: Finished): string => {
    const length = lines.line(finished);
    return lines.bytes.toString('latin1', 0, length);
  };

  it.each(Object.keys(changes))('does not depend on the line before: %s', (name) => {
    const changed = { ...request, ...changes[name] };
    const lines = new JsonAccessLines(3);
    const alone = (finished: Finished): string => text(new JsonAccessLines(3), finished);
    for (const finished of [request, changed, changed, request, request, { ...changed, status: 500 }, request]) {
      const line = text(lines, finished);
      expect(line).toBe(alone(finished));
      expect(JSON.parse(line)).toMatchObject({ host: finished.host, path: finished.path, status: finished.status });
    }
  });

  it('has the time of its request', () => {
    const lines = new JsonAccessLines(0);
    const before = clock.wall;
    for (const wall of [1e12, 1e12 + 1, 1e12 + 86_400_000]) {
      clock.wall = wall;
      expect(JSON.parse(text(lines, request))).toMatchObject({ time: new Date(wall).toISOString() });
    }
    clock.wall = before;
  });

  it('has the id that the backend got, for request and trace', () => {
    const id = /^X-Request-Id: ([0-9a-f]{32})\r\ntraceparent: 00-\1-/.exec(ids.lines.toString('latin1'))![1]!;
    expect(JSON.parse(text(new JsonAccessLines(0), { ...request, ids }))).toMatchObject({ requestId: id, traceId: id });
  });
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
