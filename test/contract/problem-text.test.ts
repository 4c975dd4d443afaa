import { describe, expect, it } from 'vitest';
import type { PlacedProblem } from '../../contract/document/document-text.ts';
import { readJsonText } from '../../contract/document/json-text.ts';
import { problemRecord, problemText } from '../../contract/problem-text.ts';

const text = `{
  "name": "orders",
  "handler": {
    "type": "Chain",
    "config": { "filter": [] }
  }
}
`;
const { placeOf } = readJsonText(text);
const unknownField: PlacedProblem = {
  code: 'unknown-field',
  severity: 'error',
  path: ['handler', 'config', 'filter'],
  message: 'is not a field of Chain',
  hint: "did you mean 'filters'?",
};

describe('a problem for people', () => {
  it('has the label, the path, the place, the line and the hint', () => {
    const source = { file: 'config/routes/orders.json', label: 'Route shop/orders', text, placeOf };
    expect(problemText(unknownField, source).split('\n')).toEqual([
      'error: Route shop/orders → handler.config.filter: is not a field of Chain [unknown-field]',
      '  at config/routes/orders.json:5:17',
      '  5 |     "config": { "filter": [] }',
      '    |                 ^',
      "  hint: did you mean 'filters'?",
    ]);
  });

  it('shows no secret that is written in the line', () => {
    const line = '{ "password": "hunter2", "x": 1 }';
    const problem = { ...unknownField, place: { line: 1, column: 26 } };
    const shown = problemText(problem, { text: line });
    expect(shown).toContain('1 | { "password": "*******", "x": 1 }\n');
    expect(shown).not.toContain('hunter2');
  });

  it('points at the value where the value is wrong', () => {
    expect(problemText({ ...unknownField, code: 'value' }, { file: 'a.json', placeOf })).toContain('at a.json:5:27\n');
  });

  it('leaves out unknown parts', () => {
    const { hint: _, ...plain } = unknownField;
    expect(problemText(plain)).toBe('error: handler.config.filter: is not a field of Chain [unknown-field]');
    expect(problemText({ ...plain, path: [], severity: 'warning' })).toBe(
      'warning: is not a field of Chain [unknown-field]',
    );
    expect(problemText(plain, { file: 'a.json' })).toContain('\n  at a.json');
    expect(problemText(plain, { placeOf })).toContain('\n  at line 5, column 17');
  });

  it('shows the position of a problem and the related position', () => {
    const twice = '{"a": 1,\n "a": 2}';
    const [problem] = readJsonText(twice).problems;
    expect(problemText(problem!, { file: 'a.json', text: twice }).split('\n')).toEqual([
      "error: a: is written twice: 'a' is already in line 1, column 2 [duplicate-key]",
      '  at a.json:2:2',
      '  2 |  "a": 2}',
      '    |  ^',
      '  see a.json:1:2',
      '  hint: remove one of the two',
    ]);
  });

  it('names the related positions', () => {
    const cycle: PlacedProblem = { ...unknownField, code: 'cycle', others: [['name'], ['handler', 'type']] };
    expect(problemText(cycle, { file: 'a.json', placeOf })).toContain(
      '\n  see name at a.json:2:11\n  see handler.type at a.json:4:13\n',
    );
    expect(problemText(cycle)).toContain('\n  see name\n  see handler.type\n');
  });

  it('shows the ends of a path that is deeper than people read', () => {
    const deep = { ...unknownField, path: Array.from({ length: 200 }, () => 'handler') };
    const [first] = problemText(deep).split('\n');
    expect(first).toMatch(/^error: handler\.handler\..*…[a-z.]*\.handler: is not a field/);
    expect(first!.length).toBeLessThan(300);
    expect(problemRecord(deep).path).toHaveLength(200 * 8 - 1);
  });

  it('never prints terminal control characters of a document', () => {
    const evil = { ...unknownField, message: 'is \x1b[2J\n evil', path: ['\x1b[2J'] };
    expect(problemText(evil, { text: '\x1b[2J', placeOf: () => ({ line: 1, column: 1 }) })).not.toMatch(/\x1b/);
  });
});

describe('a problem for programs', () => {
  it('is a plain object', () => {
    expect(problemRecord(unknownField, { file: 'a.json', label: 'Route a', text, placeOf })).toEqual({
      severity: 'error',
      code: 'unknown-field',
      message: 'is not a field of Chain',
      path: 'handler.config.filter',
      steps: ['handler', 'config', 'filter'],
      hint: "did you mean 'filters'?",
      label: 'Route a',
      file: 'a.json',
      line: 5,
      column: 17,
    });
  });

  it('has the related problems with their positions', () => {
    const record = problemRecord(
      { ...unknownField, others: [['name']], otherPlaces: [{ line: 1, column: 1 }] },
      { placeOf },
    );
    expect(record.others).toEqual([
      { line: 1, column: 1 },
      { path: 'name', line: 2, column: 11 },
    ]);
  });
});
