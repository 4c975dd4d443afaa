import { describe, expect, it } from 'vitest';
import { readJsonObject } from '../../../dataplane/jose/strict-json.ts';

const read = (text: string | Buffer): unknown => readJsonObject(Buffer.from(text));
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

describe('readJsonObject', () => {
  it.each([
    '{}',
    '{"a":1}',
    ' {\n"a" : "b:c" , "d" : [ { "e" : 1 }, { "e" : 2 } ] } ',
    '{"a":{"a":{"a":null}}}',
    '{"a\\"b\\\\":"\\"x\\":1"}',
    '{"ä":"ö","\\ud83d\\ude00":"\\u0041"}',
    '{"__proto__":{"x":1},"constructor":2}',
    '{"":0}',
    nested(32),
    `{"a":${'['.repeat(31)}${']'.repeat(31)}}`,
  ])('reads %s', (text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['nothing', ''],
    ['an array', '[]'],
    ['a text', '"{}"'],
    ['a number', '1'],
    ['null', 'null'],
    ['half an object', '{"a":1'],
    ['more after it', '{} {}'],
    ['a comment', '{/**/}'],
    ['a byte order mark', '\ufeff{}'],
    ['a name given twice', '{"a":1,"a":1}'],
    ['a name given twice, once with an escape', '{"alg":"RS256","\\u0061lg":"HS256"}'],
    ['a name given twice further in', '{"a":[{"b":1,"b":2}]}'],
    ['a name that objects have, given twice', '{"__proto__":1,"__proto__":2}'],
    ['an empty name given twice', '{"":1,"":2}'],
    ['half of a surrogate pair in a text', '{"a":"\\ud800"}'],
    ['half of a surrogate pair in a name', '{"\\udc00":1}'],
    ['half of a surrogate pair further in', '{"a":[["\\ud83dx"]]}'],
    ['33 levels', nested(33)],
    ['33 levels of arrays', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['a great many levels', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ])('refuses %s', (_, text) => {
    expect(read(text)).toBeNull();
  });

  it.each([
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['an overlong form', Buffer.from([0x7b, 0x22, 0xc1, 0xa1, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
  ])('refuses %s', (_, bytes) => {
    expect(read(bytes)).toBeNull();
  });
});
