import { expect, it } from 'vitest';
import { memberReader, readMember } from '../../../contract/expression/access.ts';
import type { Shape, Shapes } from '../../../contract/expression/language.ts';
import type { Value } from '../../../contract/expression/value.ts';

class Declared {
  readonly a = 1;
}
class Listed {
  readonly a = 1;
}
class Foreign {
  readonly a = 1;
}

const declared: Shape = { name: 'Declared', properties: { a: { get: () => 'declared' } } };
const listed: Shape = { name: 'Listed', properties: {}, entries: { get: (_object, key) => `entry ${key}` } };
const shapes: Shapes = new Map<object | null, Shape>([
  [Declared.prototype, declared],
  [Listed.prototype, listed],
  [Array.prototype, declared],
  [Map.prototype, declared],
  [Buffer.prototype, declared],
]);

const values: readonly Value[] = [
  null,
  'text',
  1,
  true,
  { a: 'own', toString: 'own' } as unknown as Value,
  {},
  { a: null },
  Object.assign(Object.create(null), { a: 'bare' }) as Value,
  new Map([['a', 'mapped']]),
  new Map(),
  ['a'],
  Buffer.from('a'),
  new Declared() as unknown as Value,
  new Declared() as unknown as Value,
  new Listed() as unknown as Value,
  new Foreign() as unknown as Value,
];

it.each(['a', 'b', 'toString', 'hasOwnProperty', 'constructor', '__proto__', 'prototype', 'length', 'size'])(
  'a name that is always the same is read as any other: %s',
  (name) => {
    const read = memberReader(name, shapes);
    for (const before of values) {
      for (const value of values) {
        read(before);
        expect(read(value)).toEqual(readMember(value, name, shapes));
      }
    }
  },
);
