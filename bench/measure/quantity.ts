import type { Spread } from './statistics.ts';

/** Three significant digits, the way people write them. */
export function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** Microseconds, or milliseconds where that reads better. */
export function micros(value: number): string {
  return value < 1000 ? `${figure(value)} µs` : `${figure(value / 1000)} ms`;
}

export function perSecond(value: number): string {
  return `${figure(value)}/s`;
}

export function percent(share: number): string {
  return `${Number((share * 100).toPrecision(2))} %`;
}

export function kibibytes(bytes: number): string {
  return `${figure(bytes / 1024)} KiB`;
}

export function mebibytes(bytes: number): string {
  return `${figure(bytes / 2 ** 20)} MiB`;
}

/** Median with its quartiles, such as `14.9 µs (14.6–15.3)`. */
export function withQuartiles({ median, low, high }: Spread, unit: '' | ' µs' | ' ms' | ' KiB' | ' ×' = ''): string {
  return `${figure(median)}${unit} (${figure(low)}–${figure(high)})`;
}

/** The same for a duration in microseconds, in one unit throughout. */
export function durationWithQuartiles({ median, low, high, count }: Spread): string {
  if (median < 1000) return withQuartiles({ median, low, high, count }, ' µs');
  return withQuartiles({ median: median / 1000, low: low / 1000, high: high / 1000, count }, ' ms');
}
