import { expect, it } from 'vitest';
import { problemIn, problemText } from '../../console/shell/sign-in-problem.ts';
import { SIGN_IN_PROBLEM, SIGN_IN_PROBLEMS } from '../../contract/shown/sign-in-problem.ts';

it.each(SIGN_IN_PROBLEMS)('an address can say that a sign-in failed: %s', (problem) => {
  expect(problemIn(new URLSearchParams({ [SIGN_IN_PROBLEM]: problem }))).toBe(problem);
  expect(problemText(problem, 'Example')).toMatch(/^[A-Z].*\.$/);
});

it.each(['', 'State', 'Call 555-0100', 'constructor'])('an address cannot put words into the page: %j', (text) => {
  expect(problemIn(new URLSearchParams({ [SIGN_IN_PROBLEM]: text }))).toBeNull();
  expect(problemIn(new URLSearchParams())).toBeNull();
});
