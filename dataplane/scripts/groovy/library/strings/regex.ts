import {
  compilePattern,
  type Pattern,
  PatternBudgetExceeded,
  type PatternMatch,
} from '../../../../../contract/pattern/pattern.ts';
import { readPattern } from '../../../../../contract/pattern/read-pattern.ts';
import { ValueProblem } from '../../../../../contract/problem.ts';
import { beginWork, endWork, WorkExceeded, workLeft } from '../../../../../contract/work-budget.ts';
import { GString } from '../../values/g-string.ts';
import type { JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';

/** Flags of java.util.regex.Pattern that can also stand in a pattern. */
const letters: readonly (readonly [number, string])[] = [
  [1, 'd'],
  [2, 'i'],
  [4, 'x'],
  [8, 'm'],
  [32, 's'],
  [64, 'u'],
  [256, 'U'],
];

const LITERAL = 16;
const MOST_CACHED = 64;
const cache = new Map<string, Regex>();

/** A compiled pattern with the number of its groups. */
export interface Regex {
  readonly pattern: Pattern;
  readonly groupCount: number;
  readonly names: ReadonlyMap<string, number>;
}

/** A pattern as a value of scripts. */
export class PatternValue implements Obj {
  readonly javaClass: JavaClass;
  readonly source: string;
  readonly flags: number;
  readonly regex: Regex;

  constructor(rt: Runtime, source: string, flags = 0) {
    this.javaClass = rt.class('java.util.regex.Pattern');
    this.source = source;
    this.flags = flags;
    this.regex = regexOf(rt, source, flags);
  }

  text(): string {
    return this.source;
  }
}

/** Compiles a pattern, or throws what Java throws for one it cannot read. */
export function regexOf(rt: Runtime, source: string, flags = 0): Regex {
  const key = `${flags}:${source}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  rt.budget.spend(50 + source.length * 4);
  rt.budget.allocate(source.length * 64);
  const inline = letters.filter(([bit]) => (flags & bit) !== 0).map(([, letter]) => letter);
  const body = (flags & LITERAL) !== 0 ? quotedRegex(source) : source;
  const text = inline.length === 0 ? body : `(?${inline.join('')})${body}`;
  try {
    const { groupCount, names } = readPattern(text);
    const regex = { pattern: compilePattern(text, 'bounded'), groupCount, names };
    if (cache.size >= MOST_CACHED) cache.delete(cache.keys().next().value!);
    cache.set(key, regex);
    return regex;
  } catch (error) {
    if (error instanceof ValueProblem) return rt.fail('java.util.regex.PatternSyntaxException', error.message);
    throw error;
  }
}

/** Steps of a matcher for each unit of a budget. */
const WORK_PER_UNIT = 4;

/** Most steps of one use of a pattern, which nothing interrupts: about 20 milliseconds. */
const MOST_STEPS = 4_000_000;

/** Runs one use of a pattern and charges its work. A pattern that takes too many steps ends the run. */
export function counted<T>(rt: Runtime, run: () => T): T {
  const outer = beginWork(MOST_STEPS);
  const before = workLeft();
  let used = Number.POSITIVE_INFINITY;
  try {
    const result = run();
    used = before - workLeft();
    return result;
  } catch (error) {
    if (!(error instanceof WorkExceeded || error instanceof PatternBudgetExceeded)) used = before - workLeft();
    throw error;
  } finally {
    endWork(outer);
    rt.budget.spend(1 + Math.ceil(used / WORK_PER_UNIT));
  }
}

export function quotedRegex(text: string): string {
  return text.includes('\\E') ? `\\Q${text.replaceAll('\\E', '\\E\\\\E\\Q')}\\E` : `\\Q${text}\\E`;
}

/** The pattern that a parameter names: a Pattern, or the text of one. */
export function regexIn(rt: Runtime, value: Value): Regex {
  if (value === null) return rt.fail('java.lang.NullPointerException', null);
  return value instanceof PatternValue
    ? value.regex
    : regexOf(rt, value instanceof GString ? rt.text(value) : String(value));
}

/** All matches in a text. */
export function* matchesIn(rt: Runtime, { pattern }: Regex, text: string): Generator<PatternMatch> {
  for (let from = 0; from <= text.length; ) {
    const match = counted(rt, () => pattern.exec(text, from));
    rt.budget.spend(4);
    if (match === null) return;
    yield match;
    from = match.end > match.index ? match.end : match.end + 1;
  }
}

/** Splits as `String.split(regex, limit)`: 0 drops empty parts at the end, -1 keeps them. */
export function splitBy(rt: Runtime, regex: Regex, text: string, limit: number): string[] {
  const parts: string[] = [];
  let end = 0;
  for (const match of matchesIn(rt, regex, text)) {
    if (limit > 0 && parts.length === limit - 1) break;
    // An empty match at the start separates nothing.
    if (match.end === 0) continue;
    rt.budget.allocate(2 * (match.index - end) + 16);
    parts.push(text.slice(end, match.index));
    end = match.end;
  }
  if (parts.length === 0) return [text];
  parts.push(text.slice(end));
  if (limit === 0) while (parts.at(-1) === '') parts.pop();
  return parts;
}

/** Replaces matches by what a function makes of each. */
export function replaceBy(
  rt: Runtime,
  regex: Regex,
  text: string,
  replace: (match: PatternMatch) => string,
  onlyFirst: boolean,
): string {
  let out = '';
  let end = 0;
  for (const match of matchesIn(rt, regex, text)) {
    const replacement = replace(match);
    rt.budget.allocate(2 * (match.index - end + replacement.length));
    out += text.slice(end, match.index) + replacement;
    end = match.end;
    if (onlyFirst) break;
  }
  return out + text.slice(end);
}

/** The text that a template of Java stands for: `$1`, `${name}` and `\` before a character. */
export function expanded(
  rt: Runtime,
  template: string,
  match: PatternMatch,
  names: ReadonlyMap<string, number>,
): string {
  if (!/[$\\]/.test(template)) return template;
  let out = '';
  for (let at = 0; at < template.length; at++) {
    const character = template[at]!;
    if (character === '\\') {
      if (++at === template.length) rt.fail('java.lang.IllegalArgumentException', 'character to be escaped is missing');
      out += template[at];
    } else if (character !== '$') out += character;
    else if (template[at + 1] === '{') {
      const close = template.indexOf('}', at);
      if (close < 0) rt.fail('java.lang.IllegalArgumentException', "named capturing group is missing trailing '}'");
      const name = template.slice(at + 2, close);
      const group = names.get(name) ?? rt.fail('java.lang.IllegalArgumentException', `No group with name {${name}}`);
      out += match.groups[group] ?? '';
      at = close;
    } else {
      const { group, end } = groupNumber(rt, template, at + 1, match.groups.length);
      out += match.groups[group] ?? '';
      at = end - 1;
    }
  }
  return out;
}

function groupNumber(rt: Runtime, template: string, at: number, count: number): { group: number; end: number } {
  const digit = (place: number): number => (/^\d$/.test(template[place] ?? '') ? Number(template[place]) : -1);
  if (at >= template.length)
    rt.fail('java.lang.IllegalArgumentException', 'Illegal group reference: group index is missing');
  let group = digit(at);
  if (group < 0) rt.fail('java.lang.IllegalArgumentException', 'Illegal group reference');
  if (group >= count) rt.fail('java.lang.IndexOutOfBoundsException', `No group ${group}`);
  let end = at + 1;
  for (let next = digit(end); next >= 0 && group * 10 + next < count; next = digit(end)) {
    group = group * 10 + next;
    end++;
  }
  return { group, end };
}
