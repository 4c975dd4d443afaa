import { Counter, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { inTurns, MetricsText } from '../../../dataplane/metrics/metrics-text.ts';

/** Metrics of that many characters, which tell how often they were written; each time takes so many milliseconds. */
function scene(characters: number, takes = 0) {
  const clock = { now: 0 };
  let times = 0;
  const metrics = async (): Promise<string> => {
    clock.now += takes;
    return `${++times} ${'x'.repeat(characters)}`;
  };
  const text = new MetricsText({ metrics }, () => clock.now);
  return { clock, read: async () => Number.parseInt(String(await text.read()), 10) };
}

it('is rendered for each scrape while it is short', async () => {
  const { read } = scene(1000);
  expect([await read(), await read(), await read()]).toEqual([1, 2, 3]);
});

it('is rendered once for concurrent scrapes', async () => {
  const { read } = scene(1000);
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  expect(await read()).toBe(2);
});

it.each([
  ['a second at least', 0, 1000],
  ['four times as long as it takes', 500, 2000],
])('is shown again where it is long, for %s', async (_, takes, age) => {
  const { clock, read } = scene(300_000, takes);
  expect(await read()).toBe(1);
  clock.now += age - 1;
  expect(await read()).toBe(1);
  clock.now += 1;
  expect(await read()).toBe(2);
});

it('is tried again after a failure', async () => {
  let times = 0;
  const text = new MetricsText({ metrics: async () => (++times === 1 ? Promise.reject(new Error('once')) : 'fine') });
  await expect(text.read()).rejects.toThrow('once');
  expect(String(await text.read())).toBe('fine');
});

it('is the same when each metric is rendered in a turn of its own', async () => {
  const registry = new Registry();
  let turns = 0;
  let timer = setImmediate(countTurn);
  const seen: number[] = [];
  for (const name of ['a', 'b', 'c']) {
    new Counter({ name, help: name, registers: [registry], collect: () => void seen.push(turns) }).inc(3);
  }
  const text = await inTurns(registry, 0).metrics();
  clearImmediate(timer);
  expect(new Set(seen).size).toBe(3);
  expect(text).toBe(await registry.metrics());
  expect(await inTurns(registry).metrics()).toBe(text);

  function countTurn(): void {
    turns++;
    timer = setImmediate(countTurn);
  }
});
