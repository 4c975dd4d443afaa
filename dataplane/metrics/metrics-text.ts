import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';

/** Bytes from which on a text counts as long: there are hundreds of routes, and it takes a while to write. */
const LONG = 262_144;
/** How long a long one is shown again at least, in milliseconds. */
const LEAST_AGE = 1000;
/** How many times as long as it took to write. */
const REST = 4;

/**
 * The text of all metrics, for whoever asks: the thread that writes it answers for the health of the plane as well, and
 * must have time left for that. Those who ask while it is written get the same, and a long one is written seldom.
 */
export class MetricsText {
  private readonly registry: Pick<Registry, 'metrics'>;
  private readonly now: () => number;
  private writing: Promise<Buffer> | null = null;
  private last: { readonly bytes: Buffer; readonly until: number } | null = null;

  /** @param now a clock in milliseconds; by default the steady one of the system */
  constructor(registry: Pick<Registry, 'metrics'>, now: () => number = () => performance.now()) {
    this.registry = registry;
    this.now = now;
  }

  read(): Promise<Buffer> {
    if (this.last !== null && this.now() < this.last.until) return Promise.resolve(this.last.bytes);
    this.writing ??= this.write().finally(() => {
      this.writing = null;
    });
    return this.writing;
  }

  private async write(): Promise<Buffer> {
    const begun = this.now();
    this.last = null;
    const bytes = Buffer.from(await this.registry.metrics());
    const ended = this.now();
    const age = Math.max(LEAST_AGE, REST * (ended - begun));
    if (bytes.length >= LONG) this.last = { bytes, until: ended + age };
    return bytes;
  }
}

/** Milliseconds after which other work of the thread has its turn. */
const LONGEST_TURN = 5;

/** Writes metrics in several turns, because the same thread may serve requests. @param longest of a turn, in milliseconds */
export function inTurns(
  registry: Pick<Registry, 'getMetricsAsArray' | 'getSingleMetricAsString'>,
  longest = LONGEST_TURN,
): Pick<Registry, 'metrics'> {
  return {
    async metrics() {
      const texts: string[] = [];
      let begun = performance.now();
      for (const { name } of registry.getMetricsAsArray()) {
        texts.push(await registry.getSingleMetricAsString(name));
        if (performance.now() - begun < longest) continue;
        await nextTurn();
        begun = performance.now();
      }
      return `${texts.join('\n\n')}\n`;
    },
  };
}
