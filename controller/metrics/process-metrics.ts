import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** Milliseconds between samples of the library, which would wake an idle controller a hundred times in a second. */
const NO_SAMPLES = 2 ** 31 - 1;

const LAG = 'nodejs_eventloop_lag';
const FIGURES = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'] as const;

/** Registers the metrics of the process. The delay of its event loop is sampled when the loop runs anyway. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NO_SAMPLES });
  const delays = monitorEventLoopDelay({ samplePerIteration: true });
  delays.enable();
  const gauges = FIGURES.map((figure) => {
    const name = `${LAG}_${figure}_seconds`;
    registry.removeSingleMetric(name);
    return new Gauge({ name, help: `Delay of the event loop since the last scrape: ${figure}.`, registers: [] });
  });
  registry.removeSingleMetric(`${LAG}_seconds`);
  new Gauge({
    name: `${LAG}_seconds`,
    help: 'Mean delay of the event loop since the last scrape.',
    registers: [registry],
    collect() {
      const read = { min: delays.min, max: delays.max, mean: delays.mean, stddev: delays.stddev };
      const all = { ...read, p50: delays.percentile(50), p90: delays.percentile(90), p99: delays.percentile(99) };
      this.set(seconds(all.mean));
      for (const [at, figure] of FIGURES.entries()) gauges[at]!.set(seconds(all[figure]));
      delays.reset();
    },
  });
  for (const gauge of gauges) registry.registerMetric(gauge);
}

/** A histogram without a sample has no figures. */
function seconds(nanoseconds: number): number {
  return Number.isFinite(nanoseconds) && nanoseconds < NO_SAMPLE ? nanoseconds / 1e9 : 0;
}

/** Least delay of a histogram without a sample. */
const NO_SAMPLE = 2 ** 62;
