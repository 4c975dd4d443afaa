import { expect, it } from 'vitest';
import { firstSorted } from '../../../../contract/crest/pages/first-sorted.ts';
import { randomNumbers } from '../../../support/clients/random.ts';

/** Pairs of a key and a place, so that the order of equal keys shows. */
type Pair = readonly [key: number, place: number];

const byKey = (a: Pair, b: Pair): number => a[0] - b[0];

it('returns what sorting everything returns first, with equal items in their order', () => {
  const random = randomNumbers(7);
  for (let round = 0; round < 300; round++) {
    const items: Pair[] = Array.from({ length: random(80) }, (_, place) => [random(20), place]);
    const most = random(90);
    expect(firstSorted(items, most, byKey)).toEqual(items.toSorted(byKey).slice(0, most));
  }
});

it('compares most items with the last of the first ones only', () => {
  const random = randomNumbers(3);
  const items: Pair[] = Array.from({ length: 5000 }, (_, place) => [random(1_000_000), place]);
  let comparisons = 0;
  firstSorted(items, 20, (a, b) => {
    comparisons++;
    return byKey(a, b);
  });
  expect(comparisons).toBeLessThan(7000);
});
