import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compilePattern, type Pattern } from '../../../contract/pattern/pattern.ts';
import { ValueProblem } from '../../../contract/problem.ts';

/** A row of test/vectors/java-patterns.jsonl: what java.util.regex makes of a pattern and a text. */
interface JavaRow {
  readonly pattern: string;
  readonly text: string;
  readonly error?: string;
  readonly matches: boolean;
  /** Each match, as the bounds of its groups. */
  readonly found: readonly (readonly (readonly [number, number] | null)[])[];
  readonly split: readonly string[];
  readonly template?: string;
  /** Null where Java refuses the template. */
  readonly replaced?: string | null;
}

function javaRows(): JavaRow[] {
  const text = readFileSync(new URL('../../vectors/java-patterns.jsonl', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JavaRow);
}

/** Every match as Java goes through them: after an empty one it goes on one further. */
function allFound(pattern: Pattern, text: string): unknown[] {
  const found: unknown[] = [];
  for (let from = 0; ; ) {
    const match = pattern.exec(text, from);
    if (match === null) return found;
    found.push([match.index, match.end, ...match.groups]);
    from = match.end === match.index ? match.end + 1 : match.end;
  }
}

function replaced(pattern: Pattern, text: string, template: string): string | null {
  try {
    return pattern.replaceAll(text, template);
  } catch (error) {
    if (error instanceof ValueProblem) return null;
    throw error;
  }
}

const rows = javaRows();

describe('patterns that Java accepts', () => {
  const accepted = rows.filter(({ error }) => error === undefined);

  it.each(accepted)('$pattern on $text', (row) => {
    const pattern = compilePattern(row.pattern, 'bounded');
    const expected = row.found.map((groups) => [
      ...groups[0]!,
      ...groups.map((bounds) => (bounds === null ? null : row.text.slice(...bounds))),
    ]);
    expect(allFound(pattern, row.text)).toEqual(expected);
    expect(pattern.test(row.text)).toBe(row.found.length > 0);
    expect(pattern.matches(row.text)).toBe(row.matches);
    expect(pattern.split(row.text)).toEqual(row.split);
    if (row.template !== undefined) expect(replaced(pattern, row.text, row.template)).toBe(row.replaced);
  });

  it('are several hundred', () => {
    expect(accepted.length).toBeGreaterThan(600);
  });
});

describe('patterns that Java refuses', () => {
  it.each(rows.filter(({ error }) => error !== undefined))('include $pattern', ({ pattern }) => {
    expect(() => compilePattern(pattern, 'bounded')).toThrow(ValueProblem);
  });
});

describe('differences from Java', () => {
  it.each([
    ['a group does not keep what a turn that was given back wrote', '(([ab])c)*bcd', 'acbcd', ['acbcd', 'ac', 'a']],
    ['nor what an earlier start wrote', 'b|((a\\B)){1,2}c{1,2}', 'xabaxa', ['b', null, null]],
    ['a group that is only a place holds it', '(^)*', 'b', ['', '']],
    ['both halves of a surrogate pair stay together', 'x*$', '😀', ['']],
  ])('%s: %s on %s', (_, source, text, groups) => {
    expect(compilePattern(source, 'bounded').exec(text)?.groups).toEqual(groups);
  });

  it('splits between characters and not inside of one', () => {
    expect(compilePattern('', 'linear').split('a😀b')).toEqual(['a', '😀', 'b']);
  });

  it.each([
    ['a{2}{3}', 'a quantifier follows a quantifier'],
    ['[a&&]', 'nothing stands to the right of &&'],
    ['\\1', 'there is no group 1'],
    ['(?<=a+)b', 'longest match'],
    ['\\Ga', 'not supported'],
    ['\\X', 'not supported'],
    ['\\N{DIGIT ONE}', 'not supported'],
    ['\\b{g}', 'not supported'],
    ['(?c)a', 'not supported'],
    ['\\p{InLinearB}', 'not known'],
  ])('%s, which Java accepts, is refused: %s', (source, message) => {
    expect(() => compilePattern(source, 'bounded')).toThrow(message);
  });
});
