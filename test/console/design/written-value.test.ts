import { describe, expect, it } from 'vitest';
import { pathOfPointer, pointerOf } from '../../../console/pages/design/forms/pointer.ts';
import { newObject } from '../../../console/pages/design/forms/starting-value.ts';
import { textFor, valueFor } from '../../../console/pages/design/forms/written-value.ts';
import type { ShownForm } from '../../../contract/shown/shown-catalogue.ts';

type Written = Parameters<typeof valueFor>[0];

const number: Written = { kind: 'number', isWhole: true };
const text: Written = { kind: 'text' };

describe('the value that a text of a form stands for', () => {
  it.each<[Written, string, unknown]>([
    [number, '', undefined],
    [number, '42', 42],
    [number, '-1', -1],
    [number, '0.5', 0.5],
    [number, '007', '007'],
    [number, '99999999999999999999', '99999999999999999999'],
    [number, '${limit}', '${limit}'],
    [text, '42', '42'],
    [text, ' ', ' '],
    [{ kind: 'text', isNumberToo: true }, '443', 443],
    [{ kind: 'text', result: 'boolean' }, 'true', true],
    [{ kind: 'text', result: 'boolean' }, "${request.method == 'GET'}", "${request.method == 'GET'}"],
  ])('is read by the form: %j, %j', (form, typed, value) => {
    expect(valueFor(form, typed, undefined)).toEqual(value);
  });

  it('keeps the lines of a script that is a list of lines', () => {
    const script: Written = { kind: 'text', means: 'script' };
    expect(textFor(['a', 'b'])).toBe('a\nb');
    expect(valueFor(script, 'a\nc', ['a', 'b'])).toEqual(['a', 'c']);
    expect(valueFor(script, 'a\nc', 'a\nb')).toBe('a\nc');
  });
});

describe('a new object', () => {
  const field = (isRequired: boolean) => ({
    name: 'a',
    description: 'A.',
    form: { kind: 'flag' } satisfies ShownForm,
    ...(isRequired && { isRequired: true as const }),
  });
  const type = { type: 'X', kind: 'filter', summary: 'X.', example: { a: true } };

  it('has the configuration of the example if it needs one', () => {
    expect(newObject({ ...type, fields: [field(true)] })).toEqual({ type: 'X', config: { a: true } });
    expect(newObject({ ...type, fields: [field(false)], rules: ["One of 'a' and 'b' is required."] })).toEqual({
      type: 'X',
      config: { a: true },
    });
  });

  it('has no configuration if it needs none', () => {
    expect(newObject({ ...type, fields: [field(false)] })).toEqual({ type: 'X' });
  });
});

describe('a pointer', () => {
  const document = { handler: { config: { filters: ['a', { 'b/c~d': 1 }] } } };

  it('leads to the value of its path', () => {
    const path = ['handler', 'config', 'filters', 1, 'b/c~d'];
    expect(pointerOf(path)).toBe('/handler/config/filters/1/b~1c~0d');
    expect(pathOfPointer(pointerOf(path), document)).toEqual(path);
    expect(pathOfPointer('', document)).toEqual([]);
  });

  it.each(['/handler/nothing', '/handler/config/filters/7', '/__proto__', 'handler'])(
    'leads nowhere: %s',
    (pointer) => {
      expect(pathOfPointer(pointer, document)).toBeNull();
    },
  );
});
