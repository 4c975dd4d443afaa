import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { applyTransformations } from '../../../contract/document/transformations.ts';
import type { Problem } from '../../../contract/problem.ts';

function applied(value: JsonValue): { value: JsonValue; problems: Problem[] } {
  const problems: Problem[] = [];
  return { value: applyTransformations(value, (problem) => problems.push(problem), ['top']), problems };
}

describe('a transformation', () => {
  it.each<[JsonValue, JsonValue]>([
    [{ $int: '8080' }, 8080],
    [{ $int: '-5' }, -5],
    [{ $int: ' +7 ' }, 7],
    [{ $number: '1.5' }, 1.5],
    [{ $number: '.5e1' }, 5],
    [{ $number: '12' }, 12],
    [{ $bool: 'true' }, true],
    [{ $bool: 'FALSE' }, false],
    [{ $string: 'x' }, 'x'],
    [{ $list: 'a, b,c' }, ['a', 'b', 'c']],
    [{ $list: 'a' }, ['a']],
    [{ $list: ' ' }, []],
    [{ $array: '[1, "a", {"$int": "1"}]' }, [1, 'a', { $int: '1' }]],
    [{ $object: '{"a": 1}' }, { a: 1 }],
    [{ '$base64:decode': 'w6k=' }, 'é'],
    [{ '$base64:decode': 'w6k' }, 'é'],
    [{ '$base64:encode': 'é' }, 'w6k='],
    [{ '$base64:encode': 'é', $charset: 'ISO-8859-1' }, '6Q=='],
    [{ '$base64:decode': '6Q==', $charset: 'iso-8859-1' }, 'é'],
    [{ '$base64:decode': 'AOk=', $charset: 'UTF-16BE' }, 'é'],
    [{ '$base64:encode': 'é', $charset: 'UTF-16BE' }, 'AOk='],
    [{ '$base64:encode': 'é', $charset: 'UTF-16LE' }, '6QA='],
    [{ '$base64:encode': 'a', $charset: 'US-ASCII' }, 'YQ=='],
    [{ $int: { '$base64:decode': { '$base64:encode': '42' } } }, 42],
    [{ '$base64:encode': 'a', $charset: { $string: 'UTF-8' } }, 'YQ=='],
    [{ a: [{ b: { $int: '1' } }, 2] }, { a: [{ b: 1 }, 2] }],
  ])('is applied to %j', (value, result) => {
    expect(applied(value)).toEqual({ value: result, problems: [] });
  });

  it.each<[JsonValue]>([
    [{ $schema: 'x', type: 'object' }],
    [{ '$a b': 1 }],
    [{ $: 1 }],
    [{ a: { x$int: '1' } }],
    [{ $1: 'x' }],
    [[null, true, 1, 'a']],
  ])('is not %j, which is kept unchanged', (value) => {
    const result = applied(value);
    expect(result.problems).toEqual([]);
    expect(result.value).toBe(value);
  });
});

describe('a problem', () => {
  it.each<[JsonValue, string]>([
    [{ $int: '1.5' }, 'has the transformation $int of a text that is not a whole number'],
    [{ $int: '' }, 'has the transformation $int of a text that is not a whole number'],
    [{ $int: '0x10' }, 'has the transformation $int of a text that is not a whole number'],
    [
      { $int: '9007199254740993' },
      'has the transformation $int of a text that is a number that cannot be kept exactly',
    ],
    [{ $int: 5 }, 'has the transformation $int of a number, and it takes a text'],
    [{ $int: null }, 'has the transformation $int of null, and it takes a text'],
    [{ $int: { $array: '[1]' } }, 'has the transformation $int of an array, and it takes a text'],
    [{ $number: 'x' }, 'has the transformation $number of a text that is not a number'],
    [{ $number: '1e999' }, 'has the transformation $number of a text that is a number that is too large'],
    [{ $bool: 'yes' }, "has the transformation $bool of a text that is neither 'true' nor 'false'"],
    [{ $list: 'a,,b' }, 'has the transformation $list of a text that has an empty item between its commas'],
    [{ $array: '{}' }, 'has the transformation $array of a text that is not a JSON array'],
    [{ $object: '[]' }, 'has the transformation $object of a text that is not a JSON object'],
    [{ $object: '{a: 1}' }, 'has the transformation $object of a text that is not sound JSON in its line 1, column 2'],
    [
      { $object: '{"a": 1, "a": 2}' },
      'has the transformation $object of a text that is not sound JSON in its line 1, column 10',
    ],
    [{ '$base64:decode': 'a!' }, 'has the transformation $base64:decode of a text that is not base64'],
    [{ '$base64:decode': 'YR==' }, 'has the transformation $base64:decode of a text that is not base64'],
    [{ '$base64:decode': '_w==' }, 'has the transformation $base64:decode of a text that is not base64'],
    [
      { '$base64:decode': '/w==' },
      'has the transformation $base64:decode of a text that holds bytes that are not UTF-8',
    ],
    [{ '$base64:decode': '/w==', $charset: 'US-ASCII' }, 'has the transformation $base64:decode of a text that holds'],
    [{ '$base64:decode': 'AA==', $charset: 'UTF-16BE' }, 'has the transformation $base64:decode of a text that holds'],
    [
      { '$base64:encode': '€', $charset: 'ISO-8859-1' },
      'has the transformation $base64:encode of a text that has char',
    ],
    [{ '$base64:encode': 'a', $charset: 'EBCDIC' }, 'has the transformation $base64:encode of a text that has an unkn'],
    [{ '$base64:encode': 'a', other: 1 }, "has the transformation $base64:encode and another key 'other'"],
    [{ $int: '1', $charset: 'UTF-8' }, "has the transformation $int and another key '$charset'"],
    [{ $int: '1', $bool: 'true' }, "has the transformation $int and another key '$bool'"],
    [{ type: 'x', $int: '1' }, "has the transformation $int and another key 'type'"],
    [
      { '$base64:encode': 'a'.repeat(800_000) },
      'has the transformation $base64:encode of a text that becomes longer than 1048576 characters',
    ],
    [{ $location: 'x' }, 'has a $location, which only properties of a document may have'],
    [{ $charset: 'x' }, 'has an unknown transformation $charset'],
  ])('is reported for %j', (value, message) => {
    expect(applied({ a: value })).toEqual({
      value: { a: null },
      problems: [expect.objectContaining({ code: 'transformation', severity: 'error', path: ['top', 'a'] })],
    });
    expect(applied(value).problems[0]!.message).toMatch(new RegExp(`^${RegExp.escape(message)}`));
  });

  it('suggests the intended name', () => {
    expect(applied({ $itn: '1' }).problems).toMatchObject([{ hint: "did you mean '$int'?" }]);
    expect(applied({ $whatever: '1' }).problems).toMatchObject([{ hint: expect.stringContaining('$base64:decode') }]);
  });

  it('of an inner one is reported once', () => {
    expect(applied({ $int: { '$base64:decode': '!' } }).problems).toMatchObject([{ path: ['top', '$int'] }]);
  });

  it('with the character set has its path', () => {
    expect(applied({ '$base64:encode': 'a', $charset: 1 }).problems).toMatchObject([{ path: ['top', '$charset'] }]);
  });
});
