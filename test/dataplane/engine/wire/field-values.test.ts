import { expect, it } from 'vitest';
import { isFieldValue } from '../../../../dataplane/engine/wire/bytes.ts';

/** RFC 9110 §5.5: visible characters, space, tab and obs-text. */
const mayStand = (code: number): boolean => (code >= 0x20 && code <= 0xff && code !== 0x7f) || code === 9;

it.each([1, 16, 17, 300])('a value of %i characters is judged by each of them, wherever it stands', (length) => {
  for (let code = 0; code < 0x180; code++) {
    for (const at of new Set([0, length >> 1, length - 1])) {
      const value = `${'a'.repeat(at)}${String.fromCharCode(code)}${'a'.repeat(length - at - 1)}`;
      expect(isFieldValue(value), JSON.stringify(value)).toBe(mayStand(code));
    }
  }
  expect(isFieldValue(`${'a'.repeat(length - 1)}\u{1f600}`)).toBe(false);
});

it('an empty value may stand', () => {
  expect(isFieldValue('')).toBe(true);
});
