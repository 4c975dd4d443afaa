import { expect, it } from 'vitest';
import { KnownPlaces } from '../../../dataplane/throttling/known-places.ts';

it('returns the place that was stored last', () => {
  const known = new KnownPlaces();
  expect(known.find('a')).toBe(-1);
  known.learn('a', 5, 1);
  known.learn('b', 6, 2);
  expect([known.find('a'), known.generation, known.find('b'), known.generation]).toEqual([5, 1, 6, 2]);
  known.learn('a', 7, 3);
  expect([known.find('a'), known.generation]).toEqual([7, 3]);
});

it.each([
  ['', true],
  ['abc', true],
  ['abcd', true],
  ['x'.repeat(52), true],
  ['x'.repeat(53), false],
  ['\0', true],
  ['é', false],
  ['\ud800', false],
  ['€'.repeat(52), false],
  ['\u{1f600}', false],
])('remembers %j: %s', (key, isRemembered) => {
  const known = new KnownPlaces();
  known.learn('long enough to leave something behind', 1, 1);
  known.learn(key, 2, 0);
  expect(known.find('long enough to leave something behind')).toBe(1);
  expect(known.find(key)).toBe(isRemembered ? 2 : -1);
  for (const other of [`${key}\0`, `${key}y`, key.slice(1)]) if (other !== key) expect(known.find(other)).toBe(-1);
});

it('never returns a wrong place with any number of keys, and keeps accepting new ones', () => {
  const known = new KnownPlaces();
  const wrong: string[] = [];
  let remembered = 0;
  for (let i = 0; i < 250_000; i++) {
    known.learn(`key ${i}`, i, 0);
    if (known.find(`key ${i}`) !== i) wrong.push(`key ${i} is not known`);
    const earlier = (i * 7919) % (i + 1);
    const found = known.find(`key ${earlier}`);
    if (found === earlier) remembered++;
    else if (found !== -1) wrong.push(`key ${earlier} is at ${found}`);
  }
  expect(wrong).toEqual([]);
  expect(remembered).toBeGreaterThan(125_000);
});
