import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { ThreadShare } from '../../../dataplane/scripts/thread-share.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';

const filter = (type: string, source: string): JsonObject => ({ type: 'ScriptableFilter', config: { type, source } });

/** Requests of one turn. */
const REQUESTS = 40;

async function connected(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), new URL(url).hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const GROOVY_LOOP = "logger.info('loops'); while (true) { }";
const JAVASCRIPT_LOOP = "logger.info('loops'); for (;;);";

it.each([
  ['a loop in Groovy', 'application/x-groovy', GROOVY_LOOP],
  ['a later loop in Groovy', 'application/x-groovy', `next.handle(context, request).then { ${GROOVY_LOOP} }`],
  ['a loop in JavaScript', 'text/javascript', JAVASCRIPT_LOOP],
  ['a later loop in JavaScript', 'text/javascript', `await next(); ${JAVASCRIPT_LOOP}`],
])('suspends %s after three runs, however many requests arrive at once', async (_title, type, source) => {
  const { url, logged } = await startFiltered([filter(type, source)]);
  const sockets = await Promise.all(Array.from({ length: REQUESTS }, () => connected(url)));
  // All requests are there before the gateway reads the first of them.
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: app.test\r\nConnection: close\r\n\r\n');
  const answers = await Promise.all(sockets.map((socket) => text(socket)));
  expect(new Set(answers.map((answer) => answer.slice(9, 12)))).toEqual(new Set(['500']));
  // A slow machine takes longer than the first suspensions, of 1, 2, 4 and 8 seconds.
  expect(logged.filter(({ msg }) => msg === 'loops').length).toBeLessThan(10);
});

it('uses up the share of a turn with one long run, and begins the next run once others ran', async () => {
  const share = new ThreadShare();
  share.add(50);
  expect(share.isUsedUp).toBe(true);
  const order: string[] = [];
  const later = share.later(async () => order.push('later'));
  setImmediate(() => order.push('others'));
  await later;
  expect(order).toEqual(['others', 'later']);
  expect(share.isUsedUp).toBe(false);
});

it('adds up runs of one turn, and forgets those of the turns before', async () => {
  const share = new ThreadShare();
  for (let run = 0; run < 9; run++) share.add(5);
  expect(share.isUsedUp).toBe(false);
  share.add(5);
  expect(share.isUsedUp).toBe(true);
  await share.later(async () => share.add(5));
  expect(share.isUsedUp).toBe(false);
});

it('begins long runs one after the other, with others in between', async () => {
  const share = new ThreadShare();
  share.add(50);
  const order: string[] = [];
  const begin = (run: number): Promise<void> =>
    share.later(async () => {
      order.push(`run ${run}`);
      share.add(50);
      setImmediate(() => order.push('others'));
    });
  await Promise.all([1, 2, 3].map(begin));
  expect(order).toEqual(['run 1', 'others', 'run 2', 'others', 'run 3']);
});
