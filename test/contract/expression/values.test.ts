import { describe, expect, it } from 'vitest';
import { textOf } from '../../../contract/expression/text.ts';
import { Double, EvaluationError, type Value, valueType } from '../../../contract/expression/value.ts';
import { evaluated } from '../../support/programs/evaluation.ts';

it.each<[Value, string, string]>([
  [null, 'null', ''],
  ['a', 'String', 'a'],
  [true, 'Boolean', 'true'],
  [7, 'Integer', '7'],
  [-(2 ** 31), 'Integer', '-2147483648'],
  [2 ** 31, 'Long', '2147483648'],
  [7n, 'Long', '7'],
  [1.5, 'Double', '1.5'],
  [new Double(1), 'Double', '1.0'],
  [new Double(-0), 'Double', '-0.0'],
  [new Double(100), 'Double', '100.0'],
  [new Double(9_999_999), 'Double', '9999999.0'],
  [new Double(1e7), 'Double', '1.0E7'],
  [12_345_678.9, 'Double', '1.23456789E7'],
  [1e300, 'Double', '1.0E300'],
  [0.001, 'Double', '0.001'],
  [0.0001, 'Double', '1.0E-4'],
  [new Double(Number.NaN), 'Double', 'NaN'],
  [new Double(Number.NEGATIVE_INFINITY), 'Double', '-Infinity'],
  [[1, null, 'x'], 'List', '[1, null, x]'],
  [new Map<string, Value>([['a', [1n]]]), 'Map', '{a=[1]}'],
  [{ a: 1, b: null }, 'Map', '{a=1, b=null}'],
])('%o is a %s and prints as %j', (value, type, text) => {
  expect([valueType(value), textOf(value)]).toEqual([type, text]);
});

it('has no text for bytes, foreign objects and endless lists', () => {
  const endless: Value[] = [];
  endless.push(endless);
  for (const value of [new Uint8Array(1), new Date(0), endless]) expect(() => textOf(value)).toThrow(EvaluationError);
});

describe('a computation', () => {
  it.each<[string, Value]>([
    ['${9223372036854775807 + 1}', -9223372036854775808n],
    ["${'1' + 2}", 3n],
    ["${'1.0' + 2}", new Double(3)],
    ['${7 / 2}', 3.5],
    ['${null + null}', 0n],
    ['${5 % 3}', 2n],
    ["${-'1e1'}", new Double(-10)],
    ['${empty nosuch}', true],
    ['${1 == 1.0}', true],
    ["${'a' < 'b'}", true],
    ['${true > false}', true],
    ["${request.headers['X-Num'] == request.headers['X-Num']}", true],
    ["${request.headers['X-Num'] <= request.headers['X-Num']}", true],
    ['${toJson(\'{"a":[1,{"b":2}]}\') == toJson(\'{"a":[1,{"b":2}]}\')}', true],
    ['${toJson(\'{"a":1}\') == toJson(\'{"a":2}\')}', false],
    ['${nosuch.deep.deeper}', null],
    ["${toJson('[1,2]')['1']}", 2],
    ["${toJson('[1,2]')[5]}", null],
    ["${toJson('[1,2]').name}", null],
  ])('%s evaluates to %o', (source, value) => {
    expect(evaluated(source)).toEqual(value);
  });

  it.each([
    ['${1 % 0}', 'ArithmeticException'],
    ["${true < request.headers['X-Num']}", 'ClassCastException'],
    ["${1 + 'x'}", null],
    ['${!5}', null],
    ["${-toJson('{}')}", null],
    ["${toJson('{}') < toJson('{}')}", null],
  ])('%s fails as %s', (source, exception) => {
    let failure: unknown;
    try {
      evaluated(source);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(EvaluationError);
    expect(failure).toMatchObject({ exception });
  });

  it('limits the depth of comparisons', () => {
    const deep = `toJson('${'['.repeat(5000)}${']'.repeat(5000)}')`;
    expect(() => evaluated(`\${${deep} == toJson('${'['.repeat(5000)}1${']'.repeat(5000)}')}`)).toThrow(
      EvaluationError,
    );
  });
});
