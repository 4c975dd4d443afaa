import { describe, expect, it } from 'vitest';
import { changedItems } from '../../controller/changed-items.ts';
import { randomNumbers } from '../support/clients/random.ts';

function changes(before: string, after: string): string {
  const { gone, added } = changedItems([...before], [...after]);
  return `${[...gone].join('')}/${[...added].join('')}`;
}

describe('the items by which two lists differ', () => {
  it.each([
    ['', '', '/'],
    ['abc', 'abc', '/'],
    ['', 'ab', '/ab'],
    ['ab', '', 'ab/'],
    ['abcde', 'aXcYe', 'bd/XY'],
    ['abcde', 'abXcde', '/X'],
    ['abcde', 'abde', 'c/'],
    ['abcde', 'XYabcdeZ', '/XYZ'],
    ['abcdef', 'cdef', 'ab/'],
    ['abc', 'cab', '/'],
    ['abcd', 'dXba', 'c/X'],
    ['abcdefghijklmno', 'ABCDEFGHIJklmno', 'abcdefghij/ABCDEFGHIJ'],
  ])('of %j and %j are %j', (before, after, expected) => {
    expect(changes(before, after)).toBe(expected);
  });

  it('are those that a comparison of sets finds, after any changes', () => {
    const random = randomNumbers(3);
    let before = Array.from({ length: 60 }, (_, at) => ({ at }));
    for (let round = 0; round < 300; round++) {
      const after = [...before];
      for (let change = random(6); change > 0; change--) {
        after.splice(
          random(after.length + 1),
          random(3),
          ...Array.from({ length: random(12) % 3 }, () => ({ at: -1 })),
        );
      }
      const { gone, added } = changedItems(before, after);
      expect(gone).toEqual(new Set(before).difference(new Set(after)));
      expect([...added]).toEqual(after.filter((item) => !before.includes(item)));
      before = after;
    }
  });
});
