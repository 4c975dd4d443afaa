import { describe, expect, it } from 'vitest';
import { isAlike, orderedLike } from '../../../console/draft/member-order.ts';

describe('the order of members', () => {
  it('is that of a model, deep down, and members that it does not have follow', () => {
    const value = { a: 1, b: [{ x: 1, y: 2 }, { z: 3 }], c: { d: 4, e: 5 }, new: 6 };
    const model = { c: { e: 0, d: 0, gone: 0 }, b: [{ y: 0, x: 0 }], a: 0 };
    expect(JSON.stringify(orderedLike(value, model))).toBe(
      '{"c":{"e":5,"d":4},"b":[{"y":2,"x":1},{"z":3}],"a":1,"new":6}',
    );
  });

  it.each([
    [{ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
    [[1, 2], [2, 1], false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: [] }, { a: {} }, false],
    [undefined, {}, false],
    [undefined, undefined, true],
    [{ a: null }, { a: null }, true],
  ])('of %j and %j alone does not make them differ: %s', (one, other, alike) => {
    expect(isAlike(one, other)).toBe(alike);
  });
});
