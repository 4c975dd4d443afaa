import { expect, it } from 'vitest';
import {
  boundsProblem,
  DocumentBounds,
  MOST_CHARACTERS,
  MOST_VALUES,
} from '../../../contract/document/document-bounds.ts';
import { MOST_NESTING } from '../../../contract/document/document-text.ts';
import type { JsonValue } from '../../../contract/document/json-value.ts';

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

it.each<[string, JsonValue, string | null]>([
  ['nothing', null, null],
  ['a text', 'a', null],
  ['as many values as may be', Array.from({ length: MOST_VALUES - 1 }, () => 0), null],
  ['one more', Array.from({ length: MOST_VALUES }, () => 0), `has more than ${MOST_VALUES} values`],
  ['as many characters as may be', { ab: 'x'.repeat(MOST_CHARACTERS - 2) }, null],
  ['one more in a text', ['x'.repeat(MOST_CHARACTERS), 'x'], `has more than ${MOST_CHARACTERS} characters`],
  ['one more in a key', { ['x'.repeat(MOST_CHARACTERS + 1)]: 1 }, `has more than ${MOST_CHARACTERS} characters`],
  ['as many levels as may be', nested(MOST_NESTING), null],
  ['one more', nested(MOST_NESTING + 1), `is nested more than ${MOST_NESTING} levels deep`],
  ['so many that walking them would exhaust the stack', nested(100_000), expect.stringContaining('levels deep')],
])('a document of %s', (_, document, expected) => {
  expect(boundsProblem(document)?.message ?? null).toEqual(expected);
});

it('added values count together', () => {
  const bounds = new DocumentBounds();
  const half = 'x'.repeat(MOST_CHARACTERS / 2);
  expect([bounds.add(half), bounds.add(half), bounds.add('x')]).toEqual([null, null, expect.anything()]);
});
