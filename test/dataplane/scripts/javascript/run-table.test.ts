import { expect, it } from 'vitest';
import { RunTable } from '../../../../dataplane/scripts/javascript/run-table.ts';

const make = (id: number): { readonly id: number } => ({ id });

it('finds runs by their numbers until they are deleted', () => {
  const table = new RunTable();
  const runs = Array.from({ length: 5 }, () => table.add(make)!);
  expect(runs.map(({ id }) => table.get(id))).toEqual(runs);
  table.delete(runs[2]!);
  table.delete(runs[2]!);
  expect(table.get(runs[2]!.id)).toBeUndefined();
  expect(table.size).toBe(4);
  expect(table.values()).toEqual(runs.filter((run) => run !== runs[2]));
});

it('gives no number twice', () => {
  const table = new RunTable();
  const seen = new Set<number>();
  for (let turn = 0; turn < 1000; turn++) {
    const run = table.add(make)!;
    seen.add(run.id);
    table.delete(run);
    expect(table.get(run.id)).toBeUndefined();
  }
  expect(seen.size).toBe(1000);
  expect([...seen].every((id) => id > 0)).toBe(true);
});

it('knows no numbers that it never gave', () => {
  const table = new RunTable();
  table.add(make);
  for (const id of [0, 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) expect(table.get(id)).toBeUndefined();
});

it('has no room for more runs than it has numbers for', () => {
  const table = new RunTable();
  for (let run = 0; run < 65_536; run++) table.add(make);
  expect(table.add(make)).toBeNull();
  table.delete(table.values()[7]!);
  expect(table.add(make)).not.toBeNull();
});
