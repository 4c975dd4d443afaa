import { expect, it } from 'vitest';
import { readDuration } from '../../../cli/options/duration.ts';

it.each([
  ['0s', 0],
  ['500ms', 500],
  ['30s', 30_000],
  ['5 m', 300_000],
  ['1h', 3_600_000],
])('reads %s', (text, value) => {
  expect(readDuration(text)).toEqual({ value });
});

it.each(['', '30', '-1s', '1.5s', '1d', 's', '1s2'])('refuses %j', (text) => {
  expect(readDuration(text)).toEqual({ problem: expect.stringContaining(`not '${text}'`) });
});
