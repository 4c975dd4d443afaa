import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MOST_NESTING, MOST_PROBLEMS } from '../../../contract/document/document-text.ts';
import { readJsonText } from '../../../contract/document/json-text.ts';
import { randomNumbers } from '../../support/clients/random.ts';

interface Row {
  readonly name: string;
  readonly expect: 'accept' | 'reject' | 'either' | 'n';
  readonly b64?: string;
}

const rows = readFileSync(new URL('../../vectors/json-texts.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

/** The suite names two large rows and leaves their text out. */
const large: Readonly<Record<string, string>> = {
  'n_structure_100000_opening_arrays.json': '['.repeat(100_000),
  'n_structure_open_array_object.json': '[{"":'.repeat(50_000),
};

function bytesOf(row: Row): Buffer {
  return row.b64 === undefined ? Buffer.from(large[row.name]!) : Buffer.from(row.b64, 'base64');
}

const codesOf = (text: string | Uint8Array): string[] => readJsonText(text).problems.map((problem) => problem.code);

describe('JSON texts of the public suite', () => {
  it.each(rows)('$name is accepted or rejected as expected', (row) => {
    const bytes = bytesOf(row);
    const read = readJsonText(bytes, { comments: false });
    const isJson = read.problems.every((problem) => problem.code !== 'text');
    if (row.expect === 'accept') expect(read.value).toEqual(JSON.parse(bytes.toString()));
    if (row.expect !== 'either') expect(isJson).toBe(row.expect === 'accept');
    if (!isJson) expect(read.value).toBeNull();
  });

  it('differ for configuration files in their comments only', () => {
    const differing = rows.filter((row) => {
      const bytes = bytesOf(row);
      return codesOf(bytes).length !== readJsonText(bytes, { comments: false }).problems.length;
    });
    expect(differing.map((row) => row.name)).toEqual([
      'n_object_trailing_comment.json',
      'n_object_trailing_comment_slash_open.json',
      'n_structure_object_with_comment.json',
    ]);
  });
});

it('reads and refuses broken texts as the engine does', () => {
  const random = randomNumbers(4);
  const seed = '{"a": [1, -2.5e3, "x\\u00e9\\n", true, null], "b": {"c": {}, "d": []}, "e": ""}';
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u',
    '0',
    '1',
    '-',
    '.',
    'e',
    'true',
    'null',
    ' ',
    '\n',
    '\t',
    'x',
  ];
  for (let round = 0; round < 5000; round++) {
    let text = seed;
    for (let edits = random(3) + 1; edits > 0; edits--) {
      const at = random(text.length + 1);
      text = text.slice(0, at) + pieces[random(pieces.length)] + text.slice(at + random(3));
    }
    const { value, problems, placeOf } = readJsonText(text, { comments: false });
    const isRefused = problems.some(({ code }) => code === 'text');
    expect({ text, isRefused, value }).toEqual({ text, ...parsedByEngine(text) });
    expect(placeOf(['b', 'c'])).toBeDefined();
  }
});

function parsedByEngine(text: string): { isRefused: boolean; value: unknown } {
  try {
    return { isRefused: false, value: JSON.parse(text) };
  } catch {
    return { isRefused: true, value: null };
  }
}

describe('extensions of JSON', () => {
  it('skips comments and a byte order mark', () => {
    const text = '\uFEFF// a\n{ /* b\n * c */ "a" /**/ : // d\r [1, // "]"\n 2] } // e';
    expect(readJsonText(text)).toMatchObject({ value: { a: [1, 2] }, problems: [] });
    expect(readJsonText(Buffer.from(text))).toMatchObject({ value: { a: [1, 2] }, problems: [] });
  });

  it('keeps comment markers in a string', () => {
    expect(readJsonText('["http://a/*b*/"]').value).toEqual(['http://a/*b*/']);
  });

  it.each([
    ['an escape', '\\n\\"', '\n"'],
    ['a backslash before the end', '\\\\', '\\'],
    ['controls that JSON allows', '\u007f\u0085', '\u007f\u0085'],
    ['a surrogate pair', '😀', '😀'],
  ])('reads a long string with %s, and what follows it', (_, written, meant) => {
    const plain = 'x'.repeat(500);
    const text = `{"a": "${plain}${written}${plain}${written}", "b": [2]}`;
    const { value, problems, placeOf } = readJsonText(text);
    expect([value, problems]).toEqual([{ a: `${plain}${meant}${plain}${meant}`, b: [2] }, []]);
    const column = [...text.slice(0, text.indexOf('[2]'))].length + 1;
    expect(placeOf(['b'])).toEqual({ line: 1, column });
  });

  it('refuses a control character and a missing end in a long string', () => {
    const plain = 'x'.repeat(500);
    expect(readJsonText(`["${plain}\t${plain}"]`).problems).toMatchObject([
      { message: 'has a control character in a string', place: { line: 1, column: 503 } },
    ]);
    expect(readJsonText(`["${plain}`).problems).toMatchObject([
      { message: 'has a string that is not closed on its line' },
    ]);
  });

  it('does not let a key reach a prototype', () => {
    const { value } = readJsonText('{"__proto__": {"polluted": true}, "constructor": 1}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(value).not.toHaveProperty('polluted');
  });

  it('allows nesting up to its limit', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(codesOf(nested(MOST_NESTING))).toEqual([]);
    expect(readJsonText(nested(MOST_NESTING + 1)).problems).toMatchObject([
      { message: `is nested more than ${MOST_NESTING} levels deep` },
    ]);
  });
});

describe('a syntax error', () => {
  it.each([
    ['', 1, 1, 'is empty', undefined],
    [' // only a comment', 1, 19, 'is empty', undefined],
    ['{"a": 1,}', 1, 8, 'has a trailing comma', 'remove the comma after the last item'],
    ['[1,\n 2, // last\n]', 2, 3, 'has a trailing comma', 'remove the comma after the last item'],
    ['[,1]', 1, 2, 'must have a value here, not ","', undefined],
    ["{'a': 1}", 1, 2, 'must have a key in double quotes here, not "\'"', 'strings are written in double quotes'],
    [
      "['a b']",
      1,
      2,
      'must have a value here, not a word that JSON does not have',
      'strings are written in double quotes',
    ],
    ['{a: 1}', 1, 2, 'must have a key in double quotes here, not "a"', 'put the key in double quotes'],
    ['{"a" 1}', 1, 6, `must have ':' after the name of the member here, not "1"`, undefined],
    ['{"a": 1\n"b": 2}', 2, 1, `must have ',' or '}' here, not '"'`, 'a comma may be missing before it'],
    ['[1 2]', 1, 4, `must have ',' or ']' here, not "2"`, 'a comma may be missing before it'],
    ['[True]', 1, 2, 'must have a value here, not "True"', 'write true'],
    ['[yes]', 1, 2, 'must have a value here, not a word that JSON does not have', 'texts are written in double quotes'],
    [
      '[012]',
      1,
      2,
      'must have a value here, not a word that JSON does not have',
      'numbers are written as 12, -0.5 or 1e3',
    ],
    [
      '[NaN]',
      1,
      2,
      'must have a value here, not a word that JSON does not have',
      'numbers are written as 12, -0.5 or 1e3',
    ],
    [
      '{“a”: 1}',
      1,
      2,
      'must have a key in double quotes here, not "“"',
      'strings are written in plain double quotes, not in typographic ones',
    ],
    ['{} # why', 1, 4, 'must have nothing more here, not "#"', 'comments begin with //'],
    ['{}\n{}', 2, 1, 'must have nothing more here, not "{"', undefined],
    ['{\n  "a": [1', 2, 10, 'ends before what begins in line 2, column 8 is closed', undefined],
    ['["a\nb"]', 1, 2, 'has a string that is not closed on its line', undefined],
    ['["a\tb"]', 1, 4, 'has a control character in a string', 'write it as an escape, such as \\t'],
    ['["C:\\d"]', 1, 5, 'has an unknown escape in a string', 'write \\\\ for a backslash'],
    ['["\\u12"]', 1, 3, 'has \\u without four hexadecimal digits', undefined],
    ['["\\ud800"]', 1, 2, 'has an escape for half of a surrogate pair', 'write both halves or the character'],
    ['["\ud800"]', 1, 3, 'holds half of a surrogate pair', undefined],
    ['{} /* a', 1, 4, 'has a comment that is not closed', undefined],
    ['["😀", x]', 1, 7, 'must have a value here, not "x"', 'texts are written in double quotes'],
  ])('in %j is reported with its line and column', (text, line, column, message, hint) => {
    expect(readJsonText(text)).toMatchObject({
      value: null,
      problems: [{ code: 'text', severity: 'error', message, place: { line, column }, ...(hint && { hint }) }],
    });
    if (hint === undefined) expect(readJsonText(text).problems[0]).not.toHaveProperty('hint');
  });

  it('reports the path of a position', () => {
    expect(readJsonText('{"a": [1, {"b": x}]}').problems).toMatchObject([{ path: ['a', 1, 'b'] }]);
  });

  it.each([
    [Buffer.from([0x7b, 0x0a, 0xe9, 0x7d]), 2, 1, 'is not UTF-8'],
    [Buffer.from([0x5b, 0x22, 0xef, 0xbf, 0xbd, 0xff, 0x22, 0x5d]), 1, 4, 'is not UTF-8'],
    [Buffer.from('\uFEFF{}', 'utf16le'), 1, 1, 'is not UTF-8 but UTF-16'],
  ])('in bytes that are not text: %j', (bytes, line, column, message) => {
    const read = readJsonText(bytes);
    expect(read.problems).toEqual([
      {
        code: 'text',
        severity: 'error',
        path: [],
        message,
        place: { line, column },
        hint: 'save the file as UTF-8',
      },
    ]);
    expect(read.placeOf(['a'])).toEqual({ line, column });
  });
});

describe('problems that do not end the reading', () => {
  it('are keys written twice, all of them, with both places', () => {
    const { value, problems } = readJsonText('{\n  "a": 1,\n  "b": {"c": 1, "\\u0063": 2},\n  "a": 3\n}');
    expect(value).toEqual({ a: 3, b: { c: 2 } });
    expect(problems).toEqual([
      {
        code: 'duplicate-key',
        severity: 'error',
        path: ['b', 'c'],
        message: "is written twice: 'c' is already in line 3, column 9",
        hint: 'remove one of the two',
        place: { line: 3, column: 17 },
        otherPlaces: [{ line: 3, column: 9 }],
      },
      {
        code: 'duplicate-key',
        severity: 'error',
        path: ['a'],
        message: "is written twice: 'a' is already in line 2, column 3",
        hint: 'remove one of the two',
        place: { line: 4, column: 3 },
        otherPlaces: [{ line: 2, column: 3 }],
      },
    ]);
  });

  it.each([
    ['[9007199254740993]', ['value']],
    ['[-9007199254740993]', ['value']],
    ['[1e999, 1]', ['value']],
    [`[${'9'.repeat(400)}]`, ['value']],
    ['[9007199254740991, 9007199254740992, 100000000000000000000, 0.1, 1e-400, 1e28, -0]', []],
  ])('are numbers that lose digits: %s', (text, codes) => {
    expect(codesOf(text)).toEqual(codes);
    expect(readJsonText(text).value).not.toBeNull();
  });

  it('are reported up to a number, so that many of them cost no time', () => {
    expect(codesOf(`{${'"a":1,'.repeat(20_000)}"b":2}`)).toHaveLength(MOST_PROBLEMS);
  });
});

describe('places', () => {
  const text = '{\n  "name": "x",\n  "list": [1, {"d\\u0065ep": // here\n    true}],\n\t"é😀": {"last": null}\n}\n';
  const { placeOf } = readJsonText(text);

  it.each([
    [[], 1, 1, 1, 1],
    [['name'], 2, 3, 2, 11],
    [['list'], 3, 3, 3, 11],
    [['list', 0], 3, 12, 3, 12],
    [['list', 1], 3, 15, 3, 15],
    [['list', 1, 'deep'], 3, 16, 4, 5],
    [['é😀', 'last'], 5, 9, 5, 17],
    [['list', 1, 'absent', 0], 3, 15, 3, 15],
    [['list', 'name'], 3, 11, 3, 11],
    [['absent'], 1, 1, 1, 1],
  ])('have the line and column of %j', (path, keyLine, keyColumn, line, column) => {
    expect(placeOf(path, 'key')).toEqual({ line: keyLine, column: keyColumn });
    expect(placeOf(path)).toEqual({ line, column });
  });

  it('are found for the value that counts when a key is written twice', () => {
    expect(readJsonText('{"a": {"x": 1},\n"a": {"x": 2}}').placeOf(['a', 'x'])).toEqual({ line: 2, column: 12 });
  });

  it.each(['{"a": [1, {"b": ', '{"a": [1, {"b": "', '{"a"', '{"a": [1, 2}', '[[[[', '{"a": 1 /* '])(
    'are found in the malformed text %j up to the error',
    (broken) => {
      expect(readJsonText(broken).placeOf(['a', 1, 'b'])).toBeDefined();
    },
  );

  it('does not exist where there is no text', () => {
    expect(readJsonText(' // nothing').placeOf([])).toBeUndefined();
  });
});
