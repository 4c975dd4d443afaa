import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pointerText, readJsonPointer, valueAt } from '../../../contract/crest/json-pointer.ts';

interface Vectors {
  readonly equal: readonly (readonly [string, string])[];
  readonly segments: Readonly<Record<string, readonly string[]>>;
  readonly invalid: readonly string[];
}

const file = new URL('../../vectors/jsonpointer.json', import.meta.url);
const { equal, segments, invalid } = JSON.parse(readFileSync(file, 'utf8')) as Vectors;

describe('JSON pointers', () => {
  it.each(equal)('%s is %s', (one, other) => {
    expect(readJsonPointer(one)).toEqual(readJsonPointer(other));
  });

  it.each(Object.entries(segments))('%s has the steps %j', (text, steps) => {
    expect(readJsonPointer(text)).toEqual(steps);
  });

  it.each([...invalid, '%ff', 'a b', '/a"b', '/a\u0000', `/${'x'.repeat(1000)}`])('refuses %j', (text) => {
    expect(() => readJsonPointer(text)).toThrow('JSON pointer');
  });

  it.each([[['a', 'b']], [[]], [['a/b', '~1', 'ü (x)', '%']], [['a', '']], [['', 'a']], [['__proto__', '0', '-']]])(
    'reads %j from the text that it writes',
    (steps) => {
      expect(readJsonPointer(pointerText(steps))).toEqual(steps);
    },
  );

  it('does not reach prototypes', () => {
    expect(valueAt({ a: [1] }, ['__proto__'])).toBeUndefined();
    expect(valueAt({ a: [1] }, ['a', 'length'])).toBeUndefined();
    expect(valueAt({ a: [1] }, ['a', '01'])).toBeUndefined();
  });
});
