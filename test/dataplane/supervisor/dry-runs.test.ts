import { describe, expect, it } from 'vitest';
import type { DryRun } from '../../../contract/shown/dry-run.ts';
import { DryRuns } from '../../../dataplane/supervisor/dry-runs.ts';
import type { UnitOrder } from '../../../dataplane/unit/unit-messages.ts';

const result: DryRun = { revision: 'r', unit: 1, steps: [], status: 200, milliseconds: 1 };

function unitThatServes() {
  const orders: UnitOrder[] = [];
  return { orders, serving: true, tell: (order: UnitOrder) => void orders.push(order) };
}

describe('dry runs of a data plane', () => {
  it('are at most sixteen at once, and one more when one has ended', async () => {
    const unit = unitThatServes();
    const runs = new DryRuns(() => [unit]);
    const begun = Array.from({ length: 16 }, () => runs.run({ uri: '/' }));
    await expect(runs.run({ uri: '/' })).rejects.toThrow('16 dry runs are in progress, try again later');
    expect(unit.orders).toHaveLength(16);
    runs.heard({ kind: 'dry-run', number: 1, result });
    expect(await begun[0]).toBe(result);
    const next = runs.run({ uri: '/' });
    expect(unit.orders).toHaveLength(17);
    const ended = Promise.allSettled([...begun.slice(1), next]);
    runs.lost(unit);
    expect((await ended).map(({ status }) => status)).toEqual(Array(16).fill('rejected'));
  });

  it('leave room for others when the unit is lost', async () => {
    const unit = unitThatServes();
    const other = unitThatServes();
    const units = [unit];
    const runs = new DryRuns(() => units);
    const lost = Promise.allSettled(Array.from({ length: 16 }, () => runs.run({ uri: '/' })));
    runs.lost(unit);
    await lost;
    units[0] = other;
    const again = runs.run({ uri: '/' });
    runs.heard({ kind: 'dry-run', number: 17, result });
    expect(await again).toBe(result);
  });

  it('ignore an answer that nobody waits for', () => {
    const runs = new DryRuns(() => []);
    expect(() => runs.heard({ kind: 'dry-run', number: 9, result: 'late' })).not.toThrow();
  });
});
