import { describe, expect, it } from 'vitest';
import { applyPatch, type PatchOptions } from '../../../contract/crest/apply-patch.ts';
import { CrestError } from '../../../contract/crest/crest-error.ts';
import { readPatch } from '../../../contract/crest/patch-operation.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';

const ALICE = { name: 'alice', age: 20, tags: ['a', 'b', 'a'], addr: { city: 'Paris' } };

const patched = (operations: JsonValue, content: JsonObject = ALICE, options: PatchOptions = {}): JsonObject =>
  applyPatch(content, readPatch(operations), options);

function statusOf(run: () => unknown): number {
  try {
    run();
  } catch (error) {
    if (error instanceof CrestError) return error.status;
    throw error;
  }
  return 200;
}

describe('a patch of a list', () => {
  it.each([
    ['appends an array', { operation: 'add', field: '/tags', value: ['c'] }, ['a', 'b', 'a', 'c']],
    ['inserts before an index', { operation: 'add', field: '/tags/1', value: 'z' }, ['a', 'z', 'b', 'a']],
    ['appends at the index after the last', { operation: 'add', field: '/tags/3', value: 'z' }, ['a', 'b', 'a', 'z']],
    ['appends at -', { operation: 'add', field: '/tags/-', value: 'z' }, ['a', 'b', 'a', 'z']],
    ['copies an element', { operation: 'copy', from: '/tags/1', field: '/tags/-' }, ['a', 'b', 'a', 'b']],
    ['moves an element', { operation: 'move', from: '/tags/1', field: '/tags/0' }, ['b', 'a', 'a']],
    ['removes an element', { operation: 'remove', field: '/tags/1' }, ['a', 'a']],
    ['removes one equal element', { operation: 'remove', field: '/tags', value: 'a' }, ['b', 'a']],
    ['removes one element per value', { operation: 'remove', field: '/tags', value: ['a', 'a', 'x'] }, ['b']],
    ['keeps an element with another value', { operation: 'remove', field: '/tags/0', value: 'b' }, ['a', 'b', 'a']],
    ['replaces the whole list', { operation: 'replace', field: '/tags', value: ['x'] }, ['x']],
  ] as const)('%s', (_, operation, tags) => {
    expect(patched([operation as unknown as JsonValue])['tags']).toEqual(tags);
  });
});

describe('a patch of a set', () => {
  const isSet = ([name]: readonly string[]): boolean => name === 'tags';
  it.each([
    ['merges an array', { operation: 'add', field: '/tags', value: ['c', 'b'] }, ['a', 'b', 'c']],
    ['merges one value', { operation: 'add', field: '/tags', value: 'c' }, ['a', 'b', 'c']],
    ['merges at an index', { operation: 'add', field: '/tags/0', value: 'b' }, ['a', 'b']],
    ['removes all equal elements', { operation: 'remove', field: '/tags', value: ['a'] }, ['b']],
    ['replaces without duplicates', { operation: 'replace', field: '/tags', value: ['x', 'x'] }, ['x']],
  ] as const)('%s', (_, operation, tags) => {
    expect(patched([operation as unknown as JsonValue], ALICE, { isSet })['tags']).toEqual(tags);
  });
});

describe('a patch', () => {
  it('creates the parents of a field', () => {
    expect(patched([{ operation: 'add', field: '/x/y/z', value: 1 }])).toMatchObject({ x: { y: { z: 1 } } });
    expect(patched([{ operation: 'add', field: '/x/-', value: 1 }])).toMatchObject({ x: [1] });
  });

  it('increments numbers and arrays of numbers', () => {
    expect(patched([{ operation: 'increment', field: '/age', value: -5 }])).toMatchObject({ age: 15 });
    expect(patched([{ operation: 'increment', field: '/n', value: 2 }], { n: [1, 2] })).toEqual({ n: [3, 4] });
    expect(patched([{ operation: 'increment', field: '/n/1', value: 2 }], { n: [1, 2] })).toEqual({ n: [1, 4] });
  });

  it.each([
    [{ operation: 'increment', field: '/name', value: 1 }, 400],
    [{ operation: 'increment', field: '/none', value: 1 }, 400],
    [{ operation: 'replace', field: '/tags/0', value: 1 }, 400],
    [{ operation: 'add', field: '', value: {} }, 400],
    [{ operation: 'add', field: '/tags/-', value: ['x'] }, 400],
    [{ operation: 'add', field: '/tags/9', value: 'x' }, 409],
    [{ operation: 'add', field: '/name/x', value: 'x' }, 409],
    [{ operation: 'add', field: '/fresh/0', value: 'x' }, 409],
    [{ operation: 'copy', from: '/none', field: '/x' }, 409],
    [{ operation: 'move', from: '', field: '/x' }, 409],
    [{ operation: 'transform', field: '/name', value: { script: { type: 'text/javascript', file: 'x.js' } } }, 501],
  ])('fails for %j with %i', (operation, status) => {
    expect(statusOf(() => patched([operation as JsonValue]))).toBe(status);
  });

  it('transforms a field where a transformation is available', () => {
    const transform = (found: JsonValue | undefined): JsonValue => String(found).toUpperCase();
    const operation = { operation: 'transform', field: '/name', value: { script: 'x' } };
    expect(patched([operation], ALICE, { transform })).toMatchObject({ name: 'ALICE' });
  });

  it('changes nothing when one operation fails', () => {
    const before = structuredClone(ALICE);
    const operations = [
      { operation: 'add', field: '/name', value: 'bob' },
      { operation: 'increment', field: '/name', value: 1 },
    ];
    expect(statusOf(() => patched(operations))).toBe(400);
    expect(ALICE).toEqual(before);
  });

  it('keeps __proto__ an ordinary member', () => {
    const changed = patched([{ operation: 'add', field: '/__proto__/polluted', value: true }], { a: 1 });
    expect(Object.hasOwn(changed, '__proto__')).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('does not let copies of copies grow without end', () => {
    const doubling = Array.from({ length: 60 }, () => ({ operation: 'copy', from: '/a', field: '/a' }));
    expect(statusOf(() => patched(doubling, { a: [1] }))).toBe(400);
    const nesting = Array.from({ length: 60 }, (_, at) => ({ operation: 'copy', from: '/a', field: `/a/x${at}` }));
    expect(statusOf(() => patched(nesting, { a: { b: 1 } }))).toBe(400);
    const deep = Array.from({ length: 300 }, () => ({ operation: 'move', from: '/a', field: '/b/a' })).flatMap(
      (one) => [one, { operation: 'move', from: '/b', field: '/a' }],
    );
    expect(statusOf(() => patched(deep.slice(0, 500), { a: 1 }))).toBe(400);
  });

  it('does not let copies of a long text or name grow without end', () => {
    const copies = Array.from({ length: 499 }, (_, at) => ({ operation: 'copy', from: '/a', field: `/b${at}` }));
    const long = 'x'.repeat(100_000);
    for (const a of [long, { [long]: 1 }]) expect(statusOf(() => patched(copies, { a }))).toBe(400);
  });

  it.each([undefined, () => true])('does not compare the elements of a long array again and again', (isSet) => {
    const list = Array.from({ length: 1000 }, (_, at) => ({ at }));
    const removals = Array.from({ length: 499 }, () => ({ operation: 'remove', field: '/list', value: 'other' }));
    const options = isSet === undefined ? {} : { isSet };
    expect(statusOf(() => patched(removals, { list }, options))).toBe(400);
    expect(patched(removals.slice(0, 10), { list }, options)).toEqual({ list });
    const additions = Array.from({ length: 499 }, (_, at) => ({ operation: 'add', field: '/list', value: [at] }));
    expect(statusOf(() => patched(additions, { list }, options))).toBe(isSet === undefined ? 200 : 400);
  });

  it.each(['add', 'replace', 'remove', 'increment', 'move', 'copy'])(
    'does not %s members of a wide object again and again',
    (operation) => {
      const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`m${at}`, 0]));
      const values = operation === 'remove' ? {} : { value: 1 };
      const given = operation === 'move' || operation === 'copy' ? { from: '/other' } : values;
      const changes = Array.from({ length: 499 }, (_, at) => ({ operation, field: `/wide/m${at}`, ...given }));
      const kept = changes.flatMap((one) => [{ operation: 'add', field: '/other', value: 1 }, one]);
      expect(statusOf(() => patched(kept.slice(0, 500), { wide }))).toBe(400);
      expect(statusOf(() => patched(kept.slice(0, 20), { wide }))).toBe(200);
    },
  );

  it('has at most 500 operations', () => {
    const many = Array.from({ length: 501 }, () => ({ operation: 'remove', field: '/x' }));
    expect(statusOf(() => patched(many))).toBe(400);
  });
});
