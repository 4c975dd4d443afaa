import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { collectProcessMetrics } from '../../../controller/metrics/process-metrics.ts';

const NAMES = ['', '_min', '_max', '_mean', '_stddev', '_p50', '_p90', '_p99'].map(
  (figure) => `nodejs_eventloop_lag${figure}_seconds`,
);

async function lags(registry: Registry): Promise<Map<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('nodejs_eventloop_lag'));
  return new Map(lines.map((line) => line.split(' ')).map(([name = '', value]) => [name, Number(value)]));
}

it('shows each delay of the event loop once, as a number of seconds', async () => {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const first = await lags(registry);
  expect([...first.keys()].sort()).toEqual(NAMES.toSorted());
  await new Promise((resolve) => setImmediate(resolve));
  const second = await lags(registry);
  for (const [name, value] of [...first, ...second]) {
    expect(value, name).toBeGreaterThanOrEqual(0);
    expect(value, name).toBeLessThan(3600);
  }
  expect(second.get('nodejs_eventloop_lag_max_seconds')).toBeGreaterThanOrEqual(
    second.get('nodejs_eventloop_lag_min_seconds')!,
  );
});

it('shows the other metrics of the process', async () => {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const text = await registry.metrics();
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_gc_duration_seconds'])
    expect(text).toContain(`# TYPE ${name} `);
});
