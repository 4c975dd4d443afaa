import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDuration } from '../../contract/duration.ts';
import { ValueProblem } from '../../contract/problem.ts';

interface Row {
  readonly duration: string;
  readonly value?: number;
  readonly unit?: string;
  readonly millis?: number;
  readonly nanos?: number;
  readonly unlimited?: boolean;
  readonly error?: string;
}

const rows = readFileSync(new URL('../vectors/durations.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

describe('durations of OpenIG', () => {
  it.each(rows)("'$duration' is read or rejected as OpenIG does", (row) => {
    if (row.error !== undefined) {
      expect(() => readDuration(row.duration)).toThrow(ValueProblem);
      return;
    }
    const read = readDuration(row.duration);
    expect(read.unlimited).toBe(row.unlimited === true);
    if (row.nanos !== undefined) expect([read.nanoseconds, read.zero]).toEqual([BigInt(row.nanos), row.nanos === 0]);
    if (row.millis !== undefined) {
      const found = { value: Number(read.amount), unit: read.unit?.toUpperCase(), millis: read.milliseconds };
      expect(found).toEqual({ value: row.value, unit: row.unit, millis: row.millis });
    }
  });
});

it.each([
  ['10 s', '10 seconds'],
  ['5s', '5 seconds'],
  ['  3   s  ', '3 seconds'],
  ['3 Seconds', '3 seconds'],
  ['5 sec', '5 seconds'],
  ['500 ms', '500 milliseconds'],
  ['2 microseconds', '2 microseconds'],
  ['2 us', '2 microseconds'],
  ['2 \u00b5s', '2 microseconds'],
  ['2 \u03bcs', '2 microseconds'],
  ['7 nano', '7 nanoseconds'],
  ['1 day', '1 day'],
  ['1d 2h', '26 hours'],
  ['1 min, 2 s', '62 seconds'],
  ['1 S AND 2 S', '3 seconds'],
  ['1 s,', '1 second'],
  ['23 hours 59 minutes and 59 seconds', '86399 seconds'],
  ['1 h and 0 ms', '3600000 milliseconds'],
  ['zero', '0 seconds'],
  ['Disabled', '0 seconds'],
  ['0 ms', '0 milliseconds'],
  [' Infinity ', 'unlimited'],
  ['indefinite', 'unlimited'],
])('reads %j as %j', (text, words) => {
  const read = readDuration(text);
  expect([String(read), read.ignored]).toEqual([words, '']);
  expect(readDuration(words).nanoseconds).toBe(read.nanoseconds);
});

it.each([
  ['1 s 2 s', '1 second', '2 s'],
  ['1 s 2 m', '1 second', '2 m'],
  ['1 s and', '1 second', 'and'],
  ['1 hour 30 minuts', '1 hour', '30 minuts'],
  ['1 h 2 h, 3 s x', '3603 seconds', '2 h x'],
])('reports the part of %j without effect', (text, words, ignored) => {
  const read = readDuration(text);
  expect([String(read), read.ignored]).toEqual([words, ignored]);
});

it.each([
  ['', 'is empty'],
  ['5', 'must have a unit after 5'],
  ['s', "must have a number before 's'"],
  ['-1 s', 'must not be negative'],
  ['1.5 s', 'must be made of whole numbers'],
  ['5 fortnights', "has an unknown unit 'fortnights'"],
  ['2 weeks', "has an unknown unit 'weeks'"],
  [', 1 s', 'has an empty part'],
  ['1 s,,2 s', 'has an empty part'],
  ['9223372036854775808 ns', 'has a number that is too large: 9223372036854775808'],
  [`${'9'.repeat(300)} s`, 'is longer than 200 characters'],
  ['unlimited and 1 s', "must have a number before 'unlimited'"],
])('refuses %j', (text, message) => {
  expect(() => readDuration(text)).toThrow(expect.objectContaining({ code: 'duration', message }));
});

it('cuts to whole milliseconds and does not pass the largest safe integer', () => {
  expect(readDuration('1999 us').milliseconds).toBe(1);
  expect(readDuration('9223372036854775807 days').milliseconds).toBe(Number.MAX_SAFE_INTEGER);
  expect(readDuration('unlimited').milliseconds).toBe(Number.POSITIVE_INFINITY);
});
