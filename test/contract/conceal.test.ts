import { describe, expect, it } from 'vitest';
import { conceal, concealQuoted } from '../../contract/conceal.ts';

describe('conceal', () => {
  it.each([
    ['a value in quotes', "must be a number, not 'hunter2'", ['hunter2'], '&{key}', "must be a number, not '…'"],
    ['a short one too', "must be a number, not 'x'", ['x'], '&{key}', "must be a number, not '…'"],
    ['a part of it', "has an unknown unit 'ter2'", ['10 hunter2'], '&{key}', "has an unknown unit '…'"],
    ['its beginning', "is no URL: 'a very long va…'", ['a very long value'], '&{key}', "is no URL: '…'"],
    ['one without quotes', 'is no URL: http://user:pass@host', ['http://user:pass@host/'], '&{key}', 'is no URL: …'],
    ['one with quotes in it', "is not 'it's mine'", ["it's mine"], '&{key}', "is not '…'"],
    ['one of several', "is not 'bbbbbb'", ['aaaaaa', 'bbbbbb'], 'aaaaaa', "is not '…'"],
  ])('hides %s', (_, message, values, written, expected) => {
    expect(conceal(message, values, written)).toBe(expected);
  });

  it.each([
    ['what the document says itself', "must be a number, not 'many'", ['many'], 'many'],
    ['other words', "must be one of REQUEST, RESPONSE, not a number, as in '10 s'", ['hunter2'], '&{key}'],
    ['everything where there is no value', "is not 'a'", [''], ''],
  ])('shows %s', (_, message, values, written) => {
    expect(conceal(message, values, written)).toBe(message);
  });
});

describe('concealQuoted', () => {
  it('hides quoted values unless the document contains them', () => {
    expect(concealQuoted("'x' is no 'b' of c", 'the b of c')).toBe("'…' is no 'b' of c");
  });
});
