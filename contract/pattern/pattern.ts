import { type TextSearch, textSearch } from '../text-search.ts';
import { beginWork, endWork, spend, WorkExceeded } from '../work-budget.ts';
import type { Outcome } from './backtracking-matcher.ts';
import { compileProgram } from './compile-program.ts';
import { type LiteralShape, literalShape } from './literal-shape.ts';
import { editBudget, maxProgramLength } from './pattern-limits.ts';
import { PatternSearch } from './pattern-search.ts';
import type { Program } from './program.ts';
import { type PatternOptions, type ReadPattern, readPattern } from './read-pattern.ts';
import { type Replacement, readReplacement } from './replacement.ts';
import { finalBits, side } from './text-assertion.ts';

/**
 * What a pattern may use. `linear`: patterns of tenants; every match takes time linear in the text, and what cannot
 * promise that is refused when it is compiled. `bounded`: patterns of operators, which may also use look-around,
 * back-references, atomic groups and possessive quantifiers; a run that takes too many steps throws
 * `PatternBudgetExceeded`.
 */
export type PatternPolicy = 'linear' | 'bounded';

/** Where a pattern was found, and what its groups hold. */
export interface PatternMatch {
  readonly index: number;
  readonly end: number;
  /** The text of each group, 0 being the whole; null for one that took no part. */
  readonly groups: readonly (string | null)[];
  readonly named: ReadonlyMap<string, string | null>;
  /** Start and end of each group in turn; -1 for one that took no part. */
  readonly slots: Int32Array;
}

/** A compiled regular expression with the syntax and the meaning of `java.util.regex.Pattern`. */
export interface Pattern {
  readonly source: string;
  /** Whether it is found anywhere in the text. */
  test(text: string): boolean;
  /** Whether it matches the text as a whole. */
  matches(text: string): boolean;
  /** The first match that begins at `from` or later; the text before `from` is still seen by `^`, `\b` and the like. */
  exec(text: string, from?: number): PatternMatch | null;
  /** The parts of the text around the matches, without empty ones at the end. */
  split(text: string): string[];
  /** The text with every match replaced; `$1` and `${name}` stand for groups, `\` takes the next character as it is. */
  replaceAll(text: string, template: string): string;
  replaceFirst(text: string, template: string): string;
  /** The text with which every text that is found begins, where the pattern is tied to the start; null otherwise. */
  readonly literalPrefix: string | null;
  /** Whether `test(text)` is the same as `text.startsWith(literalPrefix)`. */
  readonly exactPrefix: boolean;
  /** Set where `test(text)` is the same as `text === exactText`. */
  readonly exactText: string | null;
  /** Set where `test(text)` is the same as `text === exactLine` for every text that ends in no line terminator. */
  readonly exactLine: string | null;
}

/** Thrown by a run that took more steps than it may. */
export class PatternBudgetExceeded extends Error {
  readonly source: string;

  constructor(source: string) {
    super(`the regular expression '${source}' took too many steps on this text`);
    this.name = 'PatternBudgetExceeded';
    this.source = source;
  }
}

/** Compiles a pattern, or throws a ValueProblem that names what is wrong with it or not supported. */
export function compilePattern(source: string, policy: PatternPolicy, options: PatternOptions = {}): Pattern {
  const read = readPattern(source, options);
  if (policy === 'linear' && read.beyondLinear !== undefined) throw read.beyondLinear;
  return new CompiledPattern(source, read, compileProgram(read, maxProgramLength[policy]));
}

/** What it costs to begin a search and to keep what it found. */
const MATCH_STEPS = 16;

const noNames: ReadonlyMap<string, string | null> = new Map();

class CompiledPattern implements Pattern {
  readonly source: string;
  readonly literalPrefix: string | null;
  readonly exactPrefix: boolean;
  readonly exactText: string | null;
  readonly exactLine: string | null;
  readonly #groupCount: number;
  readonly #programLength: number;
  readonly #names: ReadonlyMap<string, number>;
  readonly #shape: LiteralShape;
  readonly #search: PatternSearch;
  readonly #leading: TextSearch;

  constructor(source: string, read: ReadPattern, program: Program) {
    this.source = source;
    this.#groupCount = read.groupCount;
    this.#programLength = program.length;
    this.#names = read.names;
    this.#shape = literalShape(read.tree);
    this.#search = new PatternSearch(program, this.#shape);
    this.#leading = textSearch(this.#shape.leading);
    const { startsAtTextStart, leading, exact } = this.#shape;
    const isAnchoredText = startsAtTextStart && exact !== null;
    this.literalPrefix = startsAtTextStart ? leading : null;
    this.exactPrefix = isAnchoredText && exact.end === 'anywhere';
    this.exactText = isAnchoredText && exact.end === 'text-end' ? leading : null;
    this.exactLine = isAnchoredText && exact.end !== 'anywhere' ? leading : null;
  }

  test(text: string): boolean {
    const { startsAtTextStart, leading, exact } = this.#shape;
    if (exact === null) {
      if (startsAtTextStart && !text.startsWith(leading)) return false;
      return this.#counted(() => this.#decide(this.#search.isIn(text)));
    }
    if (exact.end === 'anywhere') {
      return startsAtTextStart ? text.startsWith(leading) : this.#leading.first(text, 0) >= 0;
    }
    if (endsAt(text, text.length, leading, startsAtTextStart)) return true;
    const final = exact.end === 'text-end' ? -1 : finalEnd(text, exact.end === 'final-end-unix');
    return final >= 0 && endsAt(text, final, leading, startsAtTextStart);
  }

  matches(text: string): boolean {
    const { exact, leading } = this.#shape;
    if (exact !== null && !exact.hasTail) return text === leading;
    return this.#counted(() => this.#decide(this.#search.isAll(text)));
  }

  exec(text: string, from = 0): PatternMatch | null {
    const slots = this.#counted(() => this.#find(text, from));
    return slots === null ? null : this.#match(text, slots);
  }

  split(text: string): string[] {
    return this.#counted(() => this.#split(text));
  }

  #split(text: string): string[] {
    const parts: string[] = [];
    let end = 0;
    for (const slots of this.#findAll(text)) {
      // An empty match at the very start separates nothing.
      if (slots[1] === 0) continue;
      parts.push(text.slice(end, slots[0]));
      end = slots[1]!;
    }
    if (end === 0) return [text];
    parts.push(text.slice(end));
    while (parts.at(-1) === '') parts.pop();
    return parts;
  }

  replaceAll(text: string, template: string): string {
    return this.#counted(() => this.#replace(text, template, this.#findAll(text)));
  }

  replaceFirst(text: string, template: string): string {
    const slots = this.#counted(() => this.#find(text, 0));
    return slots === null ? text : this.#replace(text, template, [slots]);
  }

  #replace(text: string, template: string, found: Iterable<Int32Array>): string {
    let replacement: Replacement | undefined;
    let out = '';
    let end = 0;
    for (const slots of found) {
      // As in Java, a template is only looked at when there is something to replace.
      replacement ??= readReplacement(template, this.#groupCount, this.#names);
      out += text.slice(end, slots[0]);
      for (const part of replacement) out += typeof part === 'string' ? part : (groupText(text, slots, part) ?? '');
      end = slots[1]!;
    }
    return out + text.slice(end);
  }

  /** The slots of every match, each good until the next is asked for. */
  *#findAll(text: string): Generator<Int32Array> {
    const limit = this.#search.steps + editBudget(text.length, this.#programLength);
    for (let from = 0; from <= text.length; ) {
      spend(MATCH_STEPS);
      const slots = this.#find(text, from);
      if (slots === null) return;
      if (this.#search.steps > limit) throw new PatternBudgetExceeded(this.source);
      const end = slots[1]!;
      const isEmpty = slots[0] === end;
      from = isEmpty ? end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1) : end;
      yield slots;
    }
  }

  /** Runs something that may not take more work than one use of a pattern may. */
  #counted<T>(run: () => T): T {
    const outer = beginWork();
    try {
      return run();
    } catch (error) {
      throw error instanceof WorkExceeded ? new PatternBudgetExceeded(this.source) : error;
    } finally {
      endWork(outer);
    }
  }

  #find(text: string, from: number): Int32Array | null {
    if (from < 0 || from > text.length) return null;
    const slots = this.#search.find(text, from);
    if (slots === 'exhausted') throw new PatternBudgetExceeded(this.source);
    return slots === 'none' ? null : slots;
  }

  #decide(outcome: Outcome): boolean {
    if (outcome === 'exhausted') throw new PatternBudgetExceeded(this.source);
    return outcome === 'match';
  }

  #match(text: string, slots: Int32Array): PatternMatch {
    const groups: (string | null)[] = [];
    for (let group = 0; group <= this.#groupCount; group++) groups.push(groupText(text, slots, group));
    const named =
      this.#names.size === 0 ? noNames : new Map(Array.from(this.#names, ([name, group]) => [name, groups[group]!]));
    return { index: slots[0]!, end: slots[1]!, groups, named, slots: slots.slice(0, 2 * groups.length) };
  }
}

function groupText(text: string, slots: Int32Array, group: number): string | null {
  const start = slots[2 * group]!;
  const end = slots[2 * group + 1]!;
  return start < 0 || end < 0 ? null : text.slice(start, end);
}

/** Whether a text has a literal that ends at a place and begins, if it must, with the text. */
function endsAt(text: string, end: number, literal: string, startsAtTextStart: boolean): boolean {
  return text.endsWith(literal, end) && (!startsAtTextStart || end === literal.length);
}

/** The place before the final line terminator of a text, or -1 if it has none. */
function finalEnd(text: string, unixLines: boolean): number {
  const bit = unixLines ? side.finalUnix : side.final;
  for (let back = 1; back <= 2 && back <= text.length; back++) {
    if ((finalBits(text, text.length - back) & bit) !== 0) return text.length - back;
  }
  return -1;
}
