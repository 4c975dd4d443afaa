import { expect, it } from 'vitest';
import { Double, type Value } from '../../../contract/expression/value.ts';
import { Uri } from '../../../dataplane/engine/message/uri.ts';
import { Parameters } from '../../../dataplane/language/parameters.ts';
import { NamedValues } from '../../../dataplane/language/surroundings.ts';
import { valueJson } from '../../../dataplane/language/value-json.ts';
import { testLanguage } from '../../support/programs/evaluation.ts';

it.each<[Value, string]>([
  [null, 'null'],
  [true, 'true'],
  ['a"b', '"a\\"b"'],
  [7, '7'],
  [9223372036854775807n, '9223372036854775807'],
  [1.5, '1.5'],
  [new Double(4), '4.0'],
  [new Double(-0), '-0.0'],
  [new Double(1e10), '1.0E10'],
  [new Double(Number.NaN), '"NaN"'],
  [new Double(Number.NEGATIVE_INFINITY), '"-Infinity"'],
  [[1, null, ['x']], '[1,null,["x"]]'],
  [new Map<string, Value>([['a', new Double(1)]]), '{"a":1.0}'],
  [{ a: 1n }, '{"a":1}'],
  [new Uint8Array([1, 2]), '"AQI="'],
  [new Parameters([['a', '1']], [['b', '2']], [['a', '3']]), '{"a":["1","3"],"b":["2"]}'],
  [
    new NamedValues(
      () => 'secret',
      () => ['a'],
    ),
    '"{…}"',
  ],
  [new Uri('http', 'h', '/', null), '"http://h/"'],
])('%o is %s', (value, json) => {
  expect(valueJson(value, testLanguage().shapes)).toBe(json);
});
