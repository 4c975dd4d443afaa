import type { Reading } from './command.ts';

const milliseconds = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Reads `500ms`, `30s`, `5m` or `1h` as milliseconds. */
export function readDuration(text: string): Reading<number> {
  const parts = /^(?<amount>\d+) ?(?<unit>ms|s|m|h)$/.exec(text)?.groups;
  if (parts === undefined) return { problem: `must be a duration such as 500ms, 30s, 5m or 1h, not '${text}'` };
  return { value: Number(parts['amount']) * milliseconds.get(parts['unit']!)! };
}
