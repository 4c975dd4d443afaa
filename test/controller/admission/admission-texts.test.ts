import { expect, it } from 'vitest';
import type { Problem } from '../../../contract/problem.ts';
import { errorsText, shortWarnings } from '../../../controller/admission/admission-texts.ts';

it('lists a limited number of errors', () => {
  let written = 0;
  const problem: Problem = {
    code: 'value',
    severity: 'error',
    path: ['spec'],
    get message() {
      written++;
      return 'is wrong';
    },
  };
  const text = errorsText(
    'Pod shop/orders',
    Array.from({ length: 100_000 }, () => problem),
  );
  expect(text.length).toBeLessThan(9_000);
  expect(text).toMatch(/ is wrong \[value\]\n… and \d+ more problems$/);
  expect(written).toBeLessThan(1_000);
});

it('lists the first warnings, each shortened, and counts the others', () => {
  const told = shortWarnings(Array.from({ length: 1_000 }, (_, at) => `${at} ${'x'.repeat(300)}`));
  expect(told.slice(0, -1).every((text) => text.length === 256)).toBe(true);
  expect(told.at(-1)).toBe(`and ${1_000 - told.length + 1} more warnings`);
});
