import { expect, it } from 'vitest';
import { applyPatch } from '../../../contract/crest/apply-patch.ts';
import { CrestError } from '../../../contract/crest/crest-error.ts';
import { readPatch } from '../../../contract/crest/patch-operation.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { Random } from '../../fuzz/random.ts';

const SEEDS = 5000;
const ELEMENTS: readonly JsonValue[] = [1, 2, 2.5, 'a', 'b', { k: 1 }, { k: 1, l: [1] }, [1], true];

const same = (a: unknown, b: unknown): boolean => text(a) === text(b);

/** A text that is equal for equal values, whatever the order of members. */
function text(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(text).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${text(member)}`)
    .sort()
    .join()}}`;
}

/** Changes the arrays `list` and `set` as the specification says, one element after the other. Null for a failure. */
function modelled(content: JsonObject, operations: readonly JsonObject[]): JsonObject | null {
  const now: Record<string, unknown> = structuredClone(content);
  for (const { operation, field, value } of operations) {
    const name = String(field);
    const isSet = name === 'set';
    const found = now[name];
    const array: unknown[] = Array.isArray(found) ? [...found] : [];
    const given: unknown[] = Array.isArray(value) ? [...(value as unknown[])] : [value];
    if (operation === 'add' && isSet) {
      const merged: unknown[] = [];
      for (const one of [...array, ...given]) if (!merged.some((other) => same(one, other))) merged.push(one);
      now[name] = merged;
    } else if (operation === 'add')
      now[name] = Array.isArray(found) && Array.isArray(value) ? [...array, ...given] : value;
    else if (operation === 'increment') {
      const numbers: unknown[] = Array.isArray(found) ? array : [found];
      if (!numbers.every((one) => typeof one === 'number')) return null;
      const sums = numbers.map((one) => (one as number) + (value as number));
      now[name] = Array.isArray(found) ? sums : sums[0];
    } else if (value === undefined || same(found, value)) delete now[name];
    else if (Array.isArray(found)) {
      let left = array;
      for (const gone of given) {
        const at = left.findIndex((one) => same(one, gone));
        if (isSet) left = left.filter((one) => !same(one, gone));
        else if (at >= 0) left.splice(at, 1);
      }
      now[name] = left;
    }
  }
  return now as JsonObject;
}

it('adds to, removes from and increments lists and sets like a second implementation', () => {
  let applied = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const random = Random.of(seed, 'arrays', seed);
    const some = (most: number): JsonValue[] =>
      Array.from({ length: random.below(most + 1) }, () => random.pick(ELEMENTS));
    const numbers = (): JsonValue[] => Array.from({ length: random.below(4) }, () => random.below(5));
    const content = { list: some(6), set: [...new Set(some(5))], ns: random.once(2) ? numbers() : 3, plain: 'x' };
    const operations = Array.from({ length: random.between(1, 6) }, (): JsonObject => {
      const operation = random.pick(['add', 'remove', 'remove', 'increment']);
      if (operation === 'increment')
        return { operation, field: random.pick(['ns', 'ns', 'list']), value: random.pick([1, -2, 0.5]) };
      const value = random.once(4) ? random.pick(ELEMENTS) : some(3);
      const field = random.pick(['list', 'set', 'set', 'plain', 'new']);
      return operation === 'remove' && random.once(5) ? { operation, field } : { operation, field, value };
    });
    let ours: JsonObject | null = null;
    try {
      ours = applyPatch(content, readPatch(operations as unknown as JsonValue), {
        isSet: ([first]) => first === 'set',
      });
      applied++;
    } catch (error) {
      if (!(error instanceof CrestError)) throw error;
    }
    expect({ seed, operations, content, ours }).toEqual({
      seed,
      operations,
      content,
      ours: modelled(content, operations),
    });
  }
  expect(applied).toBeGreaterThan(SEEDS / 2);
});
