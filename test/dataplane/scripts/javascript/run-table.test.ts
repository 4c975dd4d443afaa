import { expect, it } from 'vitest';
import { RunTable } from '../../../../dataplane/scripts/javascript/run-table.ts';

/** A table, and a function that adds a run to it. */
function newTable(): { table: RunTable<{ readonly id: number }>; add(): { readonly id: number } | null } {
  const table = new RunTable<{ readonly id: number }>();
  const add = (): { readonly id: number } | null => {
    const id = table.newId();
    if (id === null) return null;
    const run = { id };
    table.add(run);
    return run;
  };
  return { table, add };
}

it('finds runs by their numbers until they are deleted', () => {
  const { table, add } = newTable();
  const runs = Array.from({ length: 5 }, () => add()!);
  expect(runs.map(({ id }) => table.get(id))).toEqual(runs);
  table.delete(runs[2]!);
  table.delete(runs[2]!);
  expect(table.get(runs[2]!.id)).toBeUndefined();
  expect(table.size).toBe(4);
  expect(table.values()).toEqual(runs.filter((run) => run !== runs[2]));
});

it('gives no number twice', () => {
  const { table, add } = newTable();
  const seen = new Set<number>();
  for (let turn = 0; turn < 1000; turn++) {
    const run = add()!;
    seen.add(run.id);
    table.delete(run);
    expect(table.get(run.id)).toBeUndefined();
  }
  expect(seen.size).toBe(1000);
  expect([...seen].every((id) => id > 0)).toBe(true);
});

it('finds runs that wait while many others come and go', () => {
  const { table, add } = newTable();
  const waiting = Array.from({ length: 100 }, () => add()!);
  for (let turn = 0; turn < 10_000; turn++) {
    const run = add()!;
    expect(table.get(run.id)).toBe(run);
    table.delete(run);
  }
  expect(waiting.map(({ id }) => table.get(id))).toEqual(waiting);
  expect(table.size).toBe(100);
});

it('knows no numbers that it never gave', () => {
  const { table, add } = newTable();
  add();
  for (const id of [0, 2, 17, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) expect(table.get(id)).toBeUndefined();
});

it('has no room for more runs than it has numbers for', () => {
  const { table, add } = newTable();
  for (let run = 0; run < 65_536; run++) add();
  expect(add()).toBeNull();
  table.delete(table.values()[7]!);
  expect(add()).not.toBeNull();
});
