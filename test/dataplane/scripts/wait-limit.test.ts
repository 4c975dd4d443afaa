import { expect, it } from 'vitest';
import { RunBudget } from '../../../dataplane/scripts/groovy/runtime/budget.ts';
import { WaitLimit } from '../../../dataplane/scripts/wait-limit.ts';

const newRun = () => new RunBudget({ milliseconds: 100, bytes: 1000, depth: 10 });

const reachedBy = (limit: WaitLimit): Promise<never> =>
  new Promise((_, reject) => {
    limit.reached = reject;
  });

it('ends a run that waits too long', async () => {
  const limit = new WaitLimit(5);
  const run = newRun();
  limit.begin(run);
  await expect(reachedBy(limit)).rejects.toThrow('the script waited too long');
  expect(run.exceeded).toBe('timeout');
});

it('does not count while it is paused, nor after the end', async () => {
  const limit = new WaitLimit(5);
  const run = newRun();
  limit.begin(run);
  limit.pause();
  const other = new WaitLimit(50);
  other.begin(newRun());
  await expect(reachedBy(other)).rejects.toThrow();
  expect(run.exceeded).toBeNull();
  limit.resume();
  limit.end();
  const last = new WaitLimit(50);
  last.begin(newRun());
  await expect(reachedBy(last)).rejects.toThrow();
  expect(run.exceeded).toBeNull();
});

it('does not count until the last of several pauses has ended', async () => {
  const limit = new WaitLimit(5);
  const run = newRun();
  limit.begin(run);
  limit.pause();
  limit.pause();
  limit.resume();
  const other = new WaitLimit(50);
  other.begin(newRun());
  await expect(reachedBy(other)).rejects.toThrow();
  expect(run.exceeded).toBeNull();
  limit.resume();
  await expect(reachedBy(limit)).rejects.toThrow('the script waited too long');
});

it('ends a run soon that nobody waits for', async () => {
  let isWanted = true;
  const limit = new WaitLimit(600_000, () => isWanted);
  const run = newRun();
  limit.begin(run);
  isWanted = false;
  await expect(reachedBy(limit)).rejects.toThrow('the script waited too long');
  expect(run.exceeded).toBe('timeout');
});
