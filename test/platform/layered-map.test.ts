import { expect, test } from 'vitest';
import { LayeredMap } from '../../platform/layered-map.ts';

const ROUTES = 400;

function begun(): LayeredMap<string> {
  return LayeredMap.of(new Map(Array.from({ length: ROUTES }, (_, at) => [`r${at}`, 'a'] as const)));
}

/** Changes in an order that is the same each time: entries that are new, other ones, and ones that go. */
function* changes(count: number): Generator<readonly [key: string, value: string | null]> {
  let seed = 7;
  for (let at = 0; at < count; at++) {
    seed = (seed * 48_271) % 2_147_483_647;
    yield [`r${seed % (ROUTES * 2)}`, seed % 3 === 0 ? null : `v${seed % 5}`];
  }
}

test('has the entries of a plain map after any number of changes', () => {
  const plain = new Map(begun());
  let layered = begun();
  for (const [key, value] of changes(1000)) {
    layered = layered.with([[key, value]]);
    if (value === null) plain.delete(key);
    else plain.set(key, value);
    expect(layered.size).toBe(plain.size);
    expect(layered.get(key)).toBe(plain.get(key));
  }
  expect(new Map(layered)).toEqual(plain);
  expect([...layered.keys()].sort()).toEqual([...plain.keys()].sort());
  expect([...layered.values()]).toHaveLength(plain.size);
  const visited = new Map<string, string>();
  layered.forEach((value, key) => {
    visited.set(key, value);
  });
  expect(visited).toEqual(plain);
  expect(layered.has('nothing')).toBe(false);
});

test('does not change when another map is made from it', () => {
  const before = begun();
  const after = before.with(changes(500));
  expect(new Map(before)).toEqual(new Map(begun()));
  expect(after).not.toBe(before);
});

test('takes the last of several changes of one entry', () => {
  const map = begun().with([
    ['r1', null],
    ['r1', 'b'],
    ['x', 'c'],
    ['x', null],
  ]);
  expect([map.get('r1'), map.get('x'), map.size]).toEqual(['b', undefined, ROUTES]);
});

test('is the same map if nothing differs', () => {
  const map = begun();
  const unchanged = [
    ['r1', 'a'],
    ['nothing', null],
  ] as const;
  expect(map.with(unchanged)).toBe(map);
  expect(map.with([])).toBe(map);
});

test('keeps the place of an entry that changes', () => {
  const map = begun().with([
    ['r1', 'b'],
    ['x', 'c'],
  ]);
  const keys = [...map.keys()];
  expect([keys[1], keys.at(-1)]).toEqual(['r1', 'x']);
});

test('names every entry that differs from an earlier map, or says that it cannot', () => {
  const maps = [begun()];
  for (const change of changes(1000)) maps.push(maps.at(-1)!.with([change]));
  let named = 0;
  for (const [at, before] of maps.entries()) {
    for (const after of [maps[at + 1], maps[at + 40], maps[at + 300]]) {
      if (after === undefined) continue;
      const keys = after.changedSince(before);
      if (keys === null) continue;
      named++;
      const all = new Set([...before.keys(), ...after.keys()]);
      const differing = [...all].filter((key) => before.get(key) !== after.get(key));
      expect(differing.filter((key) => !keys.has(key))).toEqual([]);
    }
  }
  expect(named).toBeGreaterThan(1900);
  for (const [at, after] of maps.slice(1).entries()) expect(after.changedSince(maps[at]!)).not.toBeNull();
});

test('names no entry beside itself, and cannot compare with a map of another origin', () => {
  const map = begun().with([['r1', 'b']]);
  expect(map.changedSince(map)).toEqual(new Set());
  expect(map.changedSince(begun())).toBeNull();
  expect(map.changedSince(new Map(begun()))).toBeNull();
});
