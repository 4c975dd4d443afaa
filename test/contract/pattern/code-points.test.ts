import { describe, expect, it } from 'vitest';
import {
  charactersOf,
  codePoints,
  complement,
  difference,
  hasCodePoint,
  intersection,
  union,
} from '../../../contract/pattern/code-points.ts';
import { caseVariants, rangeVariants } from '../../../contract/pattern/letter-case.ts';
import { namedProperty } from '../../../contract/pattern/named-property.ts';
import { randomNumbers } from '../../support/clients/random.ts';

describe('sets of characters', () => {
  it('are ranges in order that do not touch', () => {
    expect(
      codePoints([
        [5, 9],
        [1, 2],
        [3, 3],
        [8, 20],
      ]),
    ).toEqual([1, 3, 5, 20]);
    expect(charactersOf('bca😀')).toEqual([0x61, 0x63, 0x1f600, 0x1f600]);
  });

  it('behave like sets', () => {
    const random = randomNumbers(7);
    const randomSet = () =>
      codePoints(
        Array.from({ length: random(6) }, () => {
          const first = random(60);
          return [first, first + random(8)] as const;
        }),
      );
    for (let round = 0; round < 300; round++) {
      const a = randomSet();
      const b = randomSet();
      for (let member = 0; member < 70; member++) {
        const inA = hasCodePoint(a, member);
        const inB = hasCodePoint(b, member);
        expect(hasCodePoint(union(a, b), member)).toBe(inA || inB);
        expect(hasCodePoint(intersection(a, b), member)).toBe(inA && inB);
        expect(hasCodePoint(difference(a, b), member)).toBe(inA && !inB);
        expect(hasCodePoint(complement(a), member)).toBe(!inA);
      }
    }
    expect(complement([])).toEqual([0, 0x10ffff]);
  });
});

describe('letters of another case', () => {
  it.each([
    ['k', 'exact', 'k'],
    ['k', 'ascii', 'kK'],
    ['k', 'unicode', 'kK\u212a'],
    ['é', 'ascii', 'é'],
    ['é', 'unicode', 'éÉ'],
    ['σ', 'unicode', 'σςΣ'],
    ['i', 'unicode', 'iIİı'],
    ['ᾳ', 'unicode', 'ᾳᾼ'],
    ['1', 'unicode', '1'],
  ] as const)('of %s in the mode %s', (letter, rule, variants) => {
    expect(caseVariants(letter.codePointAt(0)!, rule)).toEqual(charactersOf(variants));
  });

  it('of a range', () => {
    expect(rangeVariants([0x59, 0x62], 'ascii')).toEqual([0x41, 0x42, 0x59, 0x62, 0x79, 0x7a]);
  });
});

describe('properties', () => {
  const plain = { ignoreCase: false, unicodeClasses: false };

  it.each([
    ['Alpha', 'aZ', '1é_'],
    ['Punct', '!_~', 'a '],
    ['L', 'aé', '1'],
    ['IsL', 'aé', '1'],
    ['gc=Lu', 'AÉ', 'a'],
    ['IsGreek', 'α', 'a'],
    ['IsGREEK', 'α', 'a'],
    ['script=Old_Italic', '𐌀', 'a'],
    ['InGreek', 'α', 'a'],
    ['InBasic Latin', 'a', 'é'],
    ['IsAlphabetic', 'aé', '1'],
    ['IsWhite_Space', ' \u00a0', 'a'],
    ['javaWhitespace', ' \t', 'a\u00a0'],
    ['javaMirrored', '(<', 'a'],
    ['IsNoncharacter_Code_Point', '\u{10ffff}\u{5fffe}', '\u{5fffd}a'],
    ['Co', '\u{f0000}\ue000', '\u{40000}'],
    ['Cn', '\u{40000}', 'a\u{f0000}'],
  ])('include %s, with its characters', (name, members, others) => {
    const set = namedProperty(name, plain)!;
    for (const member of members) expect(hasCodePoint(set, member.codePointAt(0)!), member).toBe(true);
    for (const other of others) expect(hasCodePoint(set, other.codePointAt(0)!), other).toBe(false);
  });

  it.each(['Foo', 'IsFoo', 'InFoo', 'alpha', 'gc=Foo', 'x=y', 'Is', '', 'IsL}'])('%s is not known', (name) => {
    expect(namedProperty(name, plain)).toBeUndefined();
  });
});
