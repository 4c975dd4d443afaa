import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { canonicalJson, contentHash } from '../../../contract/document/canonical.ts';
import { readJsonText } from '../../../contract/document/json-text.ts';

it.each([
  ['{"b": 1, "a": [true, null, {"d": 1, "c": 2}]}', '{"a":[true,null,{"c":2,"d":1}],"b":1}'],
  ['[1.0, 1e3, -0, 0.1, 1e21, 1E-7]', '[1,1000,0,0.1,1e+21,1e-7]'],
  ['{"\\u20ac": 1, "\\r": 2, "1": 3, "\\ud83d\\ude00": 4}', '{"\\r":2,"1":3,"€":1,"😀":4}'],
  ['{"__proto__": 1, "a": 2}', '{"__proto__":1,"a":2}'],
  ['"\\u0001\\/\\""', '"\\u0001/\\""'],
])('%s has one canonical text', (text, canonical) => {
  const { value } = readJsonText(text);
  expect(canonicalJson(value)).toBe(canonical);
  expect(contentHash(value)).toBe(createHash('sha256').update(canonical).digest('base64url'));
});

it('is the same for equal values and different for others', () => {
  expect(contentHash({ a: 1, b: { c: 2, d: 3 } })).toBe(contentHash({ b: { d: 3, c: 2 }, a: 1 }));
  const others = [
    {},
    [],
    '',
    null,
    0,
    false,
    '0',
    [[]],
    [''],
    ['a', 'b'],
    ['a,b'],
    ['a","b'],
    { a: 1 },
    { 'a":1,"b': 1 },
  ];
  expect(new Set(others.map(contentHash)).size).toBe(others.length);
});

it.each([[Number.NaN], [Number.POSITIVE_INFINITY], [[undefined]], [{ a: undefined }]])('refuses %j', (value) => {
  expect(() => canonicalJson(value as never)).toThrow(TypeError);
});
