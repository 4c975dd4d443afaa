import { expect, it } from 'vitest';
import { applyPatch } from '../../../contract/crest/apply-patch.ts';
import { CrestError } from '../../../contract/crest/crest-error.ts';
import { readPatch } from '../../../contract/crest/patch-operation.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { Random } from '../../fuzz/random.ts';

type Node = Record<string, unknown> | unknown[];

/** Patches a copy in place, step by step: a second reading of the specification. Null for a patch that fails. */
function modelled(content: JsonObject, operations: readonly Record<string, JsonValue>[]): JsonObject | null {
  const root = structuredClone(content) as Record<string, unknown>;
  const parts = (pointer: JsonValue): string[] => String(pointer).split('/').slice(1);
  const parent = (steps: readonly string[]): Node | null => {
    let now: unknown = root;
    for (const step of steps.slice(0, -1)) now = (now as Record<string, unknown> | undefined)?.[step] ?? undefined;
    return typeof now === 'object' && now !== null ? (now as Node) : null;
  };
  const get = (steps: readonly string[]): unknown => (parent(steps) as Record<string, unknown> | null)?.[steps.at(-1)!];
  const remove = (steps: readonly string[]): void => {
    const holder = parent(steps);
    if (Array.isArray(holder)) {
      if (Number(steps.at(-1)) < holder.length) holder.splice(Number(steps.at(-1)), 1);
    } else if (holder !== null) delete holder[steps.at(-1)!];
  };
  const add = (steps: readonly string[], value: unknown): boolean => {
    let now: Node = root;
    for (const [at, step] of steps.slice(0, -1).entries()) {
      const next = (now as Record<string, unknown>)[step] ?? null;
      if (next === null && /^\d+$/.test(steps[at + 1]!)) return false;
      if (next === null && Array.isArray(now)) return false;
      if (next === null) (now as Record<string, unknown>)[step] = {};
      else if (typeof next !== 'object') return false;
      now = (now as Record<string, unknown>)[step] as Node;
    }
    const last = steps.at(-1)!;
    const copy = structuredClone(value);
    if (Array.isArray(now)) {
      if (!/^\d+$/.test(last) || Number(last) > now.length) return false;
      now.splice(Number(last), 0, copy);
    } else {
      const found = now[last];
      now[last] = Array.isArray(found) && Array.isArray(copy) ? [...found, ...copy] : copy;
    }
    return true;
  };
  for (const one of operations) {
    const steps = parts(one['field']!);
    const isElement = Array.isArray(parent(steps)) && /^\d+$/.test(steps.at(-1)!);
    if (one['operation'] === 'remove') remove(steps);
    else if (one['operation'] === 'add') {
      if (!add(steps, one['value'])) return null;
    } else if (one['operation'] === 'replace') {
      if (isElement) return null;
      remove(steps);
      if (!add(steps, one['value'])) return null;
    } else {
      const from = parts(one['from']!);
      const value = structuredClone(get(from));
      if (value === undefined) return null;
      if (one['operation'] === 'move') remove(from);
      if (!add(steps, value)) return null;
    }
  }
  return root as JsonObject;
}

const FIELDS = ['/a', '/b', '/a/x', '/a/x/y', '/l', '/l/0', '/l/1', '/l/2', '/b/l', '/b/l/0', '/a/l/0'];

function randomValue(random: Random): JsonValue {
  const values: readonly JsonValue[] = [1, 'x', true, [], [1, 2], { x: 1 }, { x: { y: 2 }, l: [3] }];
  return values[random.below(values.length)]!;
}

it('agrees with a second implementation that changes values in place', () => {
  let applied = 0;
  for (let seed = 0; seed < 4000; seed++) {
    const random = Random.of(seed, 'patch', seed);
    const field = (): string => FIELDS[random.below(FIELDS.length)]!;
    const content = { a: randomValue(random), b: randomValue(random), l: [0, [1], { x: 2 }] };
    const operations = Array.from({ length: random.between(1, 5) }, (): Record<string, JsonValue> => {
      const operation = ['add', 'replace', 'remove', 'copy', 'move'][random.below(5)]!;
      if (operation === 'remove') return { operation, field: field() };
      if (operation === 'copy' || operation === 'move') return { operation, field: field(), from: field() };
      return { operation, field: field(), value: randomValue(random) };
    });
    let ours: JsonObject | null;
    try {
      ours = applyPatch(content, readPatch(operations));
      applied++;
    } catch (error) {
      if (!(error instanceof CrestError)) throw error;
      ours = null;
    }
    expect({ seed, operations, content, result: ours }).toEqual({
      seed,
      operations,
      content,
      result: modelled(content, operations),
    });
  }
  expect(applied).toBeGreaterThan(500);
});
