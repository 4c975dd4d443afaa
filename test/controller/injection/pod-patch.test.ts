import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type Addition, jsonPatch, withAdditions } from '../../../controller/injection/pod-patch.ts';

describe('additions', () => {
  it.each<[string, JsonObject, Addition, JsonObject]>([
    ['a member', { a: {} }, { path: ['a', 'b/c'], value: 1 }, { a: { 'b/c': 1 } }],
    ['a member in place of another', { a: 1 }, { path: ['a'], value: 2 }, { a: 2 }],
    ['the last item', { a: [1] }, { path: ['a', '-'], value: 2 }, { a: [1, 2] }],
    ['the first item', { a: [1] }, { path: ['a', 0], value: 2 }, { a: [2, 1] }],
    ['something in an item', { a: [{}, {}] }, { path: ['a', 1, 'b'], value: 2 }, { a: [{}, { b: 2 }] }],
    ['a member that is no prototype', {}, { path: ['__proto__'], value: 1 }, JSON.parse('{"__proto__":1}')],
  ])('are applied: %s', (_, before, addition, after) => {
    const copy = structuredClone(before);
    expect(withAdditions(before, [addition])).toEqual(after);
    expect(before).toEqual(copy);
  });

  it('need something to be added to', () => {
    expect(() => withAdditions({}, [{ path: ['a', 'b'], value: 1 }])).toThrow('there is nothing that b could be');
  });

  it('are a JSON patch', () => {
    const path = ['metadata', 'labels', 'gatewarden.io/side~car'];
    expect(
      jsonPatch([
        { path, value: 'true' },
        { path: ['spec', 'volumes', '-'], value: {} },
      ]),
    ).toEqual([
      { op: 'add', path: '/metadata/labels/gatewarden.io~1side~0car', value: 'true' },
      { op: 'add', path: '/spec/volumes/-', value: {} },
    ]);
  });
});
