import { expect, it } from 'vitest';
import type { UnitOrder, UnitReport } from '../../../dataplane/unit/unit-messages.ts';
import { UnitUpdates } from '../../../dataplane/unit/unit-updates.ts';

type UpdateOrder = Extract<UnitOrder, { kind: 'update' }>;

const update = { revision: '', base: null, set: [], remove: [], defaultSlots: {} };

/** Updates whose code is loaded as these say, by number; null for nothing to load. */
function updatesWith(loads: readonly (Promise<void> | null)[]) {
  const applied: number[] = [];
  const reports: UnitReport[] = [];
  const updates = new UnitUpdates(
    {
      prepare: ({ order }) => loads[order] ?? null,
      update({ order }) {
        applied.push(order);
        return [];
      },
    },
    { report: (message) => reports.push(message), fault: () => {} },
  );
  for (const order of loads.keys()) updates.add({ kind: 'update', order, update, slots: [] } satisfies UpdateOrder);
  return { updates, applied, reports };
}

it('applies an update at once if its code is loaded', () => {
  expect(updatesWith([null, null]).applied).toEqual([0, 1]);
});

it('applies updates in their order although the first one waits for code', async () => {
  const loading = Promise.withResolvers<void>();
  const { updates, applied } = updatesWith([loading.promise, null, Promise.resolve(), null]);
  expect(applied).toEqual([]);
  loading.resolve();
  await updates.settled;
  expect(applied).toEqual([0, 1, 2, 3]);
});

it('reports code that cannot be loaded, and applies the next update', async () => {
  const { updates, applied, reports } = updatesWith([Promise.reject(new Error('no such file')), null]);
  await updates.settled;
  expect(applied).toEqual([1]);
  expect(reports).toMatchObject([
    { kind: 'applied', order: 0, problems: [{ keepsServing: true, problems: [{ message: 'no such file' }] }] },
    { kind: 'applied', order: 1, problems: [] },
  ]);
});
