import { describe, expect, it } from 'vitest';
import { Draft } from '../../../console/draft/draft.ts';
import { placedNotes } from '../../../console/pages/design/placed-notes.ts';
import { tokensOf } from '../../../console/pages/design/text-marks.ts';

const kinds = (line: string, format: 'json' | 'yaml'): string[] =>
  tokensOf(line, format).map(({ from, to, kind }) => `${kind} ${line.slice(from, to)}`);

describe('the colours of a line', () => {
  it('tell keys, texts, words, numbers and comments of JSON apart', () => {
    expect(kinds('  "a" : "b: // c", // d', 'json')).toEqual([
      'key "a"',
      'sign :',
      'text "b: // c"',
      'sign ,',
      'comment // d',
    ]);
    expect(kinds('[true, null, -1.5e3, "open', 'json').filter((one) => !one.startsWith('sign'))).toEqual([
      'word true',
      'word null',
      'number -1.5e3',
      'text "open',
    ]);
  });

  it('tell keys, texts, words, numbers and comments of YAML apart', () => {
    expect(kinds("  - type: 'it''s' # why", 'yaml')).toEqual([
      'sign -',
      'key type',
      'sign :',
      "text 'it''s'",
      'comment # why',
    ]);
    expect(kinds('rate: 5', 'yaml')).toEqual(['key rate', 'sign :', 'number 5']);
    expect(kinds('enabled: true', 'yaml')).toEqual(['key enabled', 'sign :', 'word true']);
  });
});

describe('notes', () => {
  const problem = (path: string, code = 'value') => ({ severity: 'error' as const, code, path, message: 'is wrong' });
  const marked = (text: string, path: string, code?: string): string => {
    const [note] = placedNotes(new Draft(text, 'json'), [problem(path, code)]);
    return text.slice(note!.from, note!.to);
  };

  it('are at the value, at the key of a long one, and at the nearest place for a missing one', () => {
    const text = '{\n  "a": 1,\n  "b": {\n    "c": [2]\n  }\n}';
    expect(marked(text, 'a')).toBe('1');
    expect(marked(text, 'a', 'unknown-field')).toBe('"a"');
    expect(marked(text, 'b')).toBe('"b"');
    expect(marked(text, 'b.c[0]')).toBe('2');
    expect(marked(text, 'b.missing')).toBe('"b"');
    expect(marked(text, '')).toBe('{');
  });

  it('are faults as long as the text cannot be read', () => {
    expect(placedNotes(new Draft('{ "a" }', 'json'), [problem('a')])).toMatchObject([
      { from: 6, to: 7, shownPath: 'line 1, column 7', severity: 'error' },
    ]);
  });
});
