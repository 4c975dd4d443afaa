import { expect, it } from 'vitest';
import { type Explain, MOST_EXPLAINED } from '../../../contract/channel.ts';
import { encodeMessage } from '../../../contract/channel-codec.ts';
import type { DryRun, DryRunStep } from '../../../contract/shown/dry-run.ts';
import { explainedAnswer } from '../../../dataplane/link/explained-answer.ts';

const ASKED: Explain = {
  type: 'explain',
  number: 3,
  request: { method: 'GET', uri: '/', headers: [] },
  route: 'shop.a',
};
const step = (value: string): DryRunStep => ({
  ...{ kind: 'filter', type: 'T', name: 'n', object: 'o', depth: 0, outcome: 'passed', milliseconds: 0 },
  ...{ values: [{ expression: 'request.method', value }], facts: {}, changes: [] },
});
const runOf = (steps: readonly DryRunStep[]): DryRun => ({
  ...{ revision: 'r', unit: 0, steps, status: 200, milliseconds: 1 },
});

it('an answer has the dry run for the route that was named', async () => {
  const routes: (string | null)[] = [];
  const plane = {
    explain: async (_: unknown, route: string | null) => {
      routes.push(route);
      return runOf([step('GET')]);
    },
  };
  const { route: _, ...unnamed } = ASKED;
  expect(await explainedAnswer(plane, ASKED)).toEqual({ type: 'explained', number: 3, dryRun: runOf([step('GET')]) });
  await explainedAnswer(plane, unnamed);
  expect(routes).toEqual(['shop.a', null]);
});

it('an answer is at most a mebibyte long, and counts the steps that are left out', async () => {
  const steps = Array.from({ length: 200 }, () => step('ü'.repeat(9000)));
  const answer = await explainedAnswer({ explain: async () => ({ ...runOf(steps), leftOut: 5 }) }, ASKED);
  expect(encodeMessage(answer).length).toBeLessThanOrEqual(MOST_EXPLAINED);
  const { dryRun } = answer;
  expect(dryRun!.steps.length).toBeGreaterThan(20);
  expect(dryRun!.steps.length + dryRun!.leftOut!).toBe(205);
});

it('an answer has the reason why there is no dry run, which is short', async () => {
  const explain = async (): Promise<never> => {
    throw new Error('x'.repeat(10_000));
  };
  expect((await explainedAnswer({ explain }, ASKED)).failure).toHaveLength(500);
  expect(await explainedAnswer({}, ASKED)).toMatchObject({ number: 3, failure: 'this data plane makes no dry runs' });
});
