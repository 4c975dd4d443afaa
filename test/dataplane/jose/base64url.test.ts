import { describe, expect, it } from 'vitest';
import { decodeBase64url } from '../../../dataplane/jose/base64url.ts';
import { randomNumbers } from '../../support/clients/random.ts';

describe('decodeBase64url', () => {
  it.each([
    ['', ''],
    ['AA', '00'],
    ['_w', 'ff'],
    ['AAE', '0001'],
    ['-_-_', 'fbffbf'],
    ['AAECAw', '00010203'],
  ])('reads %j', (text, hex) => {
    expect(decodeBase64url(text)?.toString('hex')).toBe(hex);
  });

  it.each([
    ['one character', 'A'],
    ['one beyond four', 'AAAAA'],
    ['bits that are left over, of four', 'AB'],
    ['bits that are left over, of two', 'AAB'],
    ['the alphabet of base64', '+/+/'],
    ['padding', 'AA=='],
    ['padding in full length', 'AAE='],
    ['a space', 'AA AA'],
    ['four spaces', '    '],
    ['a line feed at the end', 'AAAA\n'],
    ['a NUL', 'AAA\0'],
    ['a dot', 'AA.A'],
    ['an umlaut', 'AAAÄ'],
    ['a letter of the alphabet in another plane', 'AAA\u0141'],
    ['a full-width letter', 'AAA\uff21'],
    ['a surrogate pair', 'AA\u{1f600}'],
  ])('refuses %s', (_, text) => {
    expect(decodeBase64url(text)).toBeNull();
  });

  it('accepts only the canonical encoding', () => {
    const random = randomNumbers(7);
    const alphabet = 'AZaz09-_QgwEIMcko48+/= \n.Ä\u0141';
    for (let round = 0; round < 20_000; round++) {
      const length = random(10);
      const text = Array.from({ length }, () => alphabet[random(alphabet.length)]).join('');
      const isWritten = Buffer.from(text, 'base64url').toString('base64url') === text;
      expect(decodeBase64url(text) !== null, JSON.stringify(text)).toBe(isWritten);
    }
  });
});
