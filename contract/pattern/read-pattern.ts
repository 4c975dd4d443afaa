import { ValueProblem } from '../problem.ts';
import { lineTerminators, newline, verticalSpace } from './character-classes.ts';
import { anyCodePoint, type CodePoints, complement } from './code-points.ts';
import { caseVariants } from './letter-case.ts';
import { maxGroups, maxLookBehind, maxNesting, maxSourceLength } from './pattern-limits.ts';
import { PatternSource } from './pattern-source.ts';
import { caseRule, readClass } from './read-class.ts';
import { readCharacterEscape, readSetEscape } from './read-escape.ts';
import { eatFlags } from './read-flags.ts';
import { eatQuantifier } from './read-quantifier.ts';
import { extentOf, type Look, type Tree } from './syntax-tree.ts';
import type { Assertion } from './text-assertion.ts';

/** One map for all patterns without named groups: there are thousands. */
const NO_NAMES: ReadonlyMap<string, number> = new Map();

/** A pattern as read: what it says, its groups, and the first thing in it that no linear engine can do. */
export interface ReadPattern {
  readonly tree: Tree;
  /** How many groups it has, the whole being number 0 and not counted. */
  readonly groupCount: number;
  readonly names: ReadonlyMap<string, number>;
  /** A problem that says what beyond regular languages it uses. */
  readonly beyondLinear: ValueProblem | undefined;
}

const empty: Tree = { kind: 'empty' };

/** Initial flags of a pattern, as if `(?i)` stood before it; positions in messages stay those of the text. */
export interface PatternOptions {
  readonly ignoreCase?: boolean;
}

/** Reads a pattern in the syntax of Java 17, or throws a ValueProblem that says what is wrong or not supported. */
export function readPattern(text: string, options: PatternOptions = {}): ReadPattern {
  if (text.length > maxSourceLength) {
    throw new ValueProblem('pattern', `a regular expression of ${text.length} characters is too long`);
  }
  return new PatternReader(text, options).read();
}

class PatternReader {
  readonly #source: PatternSource;
  readonly #names = new Map<string, number>();
  /** Groups referred to by number, and where. */
  readonly #references: [group: number, position: number][] = [];
  #groupCount = 0;
  #beyondLinear: ValueProblem | undefined;

  constructor(text: string, options: PatternOptions) {
    this.#source = new PatternSource(text);
    if (options.ignoreCase === true) this.#source.flags = { ...this.#source.flags, ignoreCase: true };
  }

  read(): ReadPattern {
    const tree = this.#readChoice(0);
    if (!this.#source.isAtEnd()) throw this.#source.problem('a ) has no ( before it');
    for (const [group, position] of this.#references) {
      if (group > this.#groupCount) throw this.#source.problem(`there is no group ${group}`, undefined, position);
    }
    return {
      tree,
      groupCount: this.#groupCount,
      names: this.#names.size === 0 ? NO_NAMES : this.#names,
      beyondLinear: this.#beyondLinear,
    };
  }

  #readChoice(depth: number): Tree {
    const items = [this.#readSequence(depth)];
    while (this.#source.eat('|')) items.push(this.#readSequence(depth));
    return items.length === 1 ? items[0]! : { kind: 'choice', items };
  }

  #readSequence(depth: number): Tree {
    const items: Tree[] = [];
    while (!this.#source.isAtEnd() && this.#source.peek() !== '|' && this.#source.peek() !== ')') {
      const atom = this.#readAtom(depth);
      if (atom !== undefined) items.push(this.#quantify(atom));
    }
    if (items.length === 0) return empty;
    return items.length === 1 ? items[0]! : { kind: 'sequence', items };
  }

  #quantify(atom: Tree): Tree {
    const start = this.#source.position;
    const quantifier = eatQuantifier(this.#source);
    if (quantifier === undefined) return atom;
    const { min, max, manner } = quantifier;
    const repeat: Tree = { kind: 'repeat', body: atom, min, max, greedy: manner !== 'lazy' };
    if (manner !== 'possessive') return repeat;
    this.#goBeyondLinear('a possessive quantifier', start);
    // Java gives up nothing that one turn took either, so each turn is atomic as well.
    const body: Tree = atom.kind === 'set' ? atom : { kind: 'atomic', body: atom };
    return { kind: 'atomic', body: { ...repeat, body } };
  }

  /** Undefined for what only sets flags. */
  #readAtom(depth: number): Tree | undefined {
    const source = this.#source;
    const next = source.peek();
    switch (next) {
      case '(':
        return this.#readGroup(depth + 1);
      case '[':
        source.take();
        return { kind: 'set', set: readClass(source, depth + 1) };
      case '\\':
        source.take();
        return this.#readEscape();
      case '.':
        source.take();
        return { kind: 'set', set: this.#dot() };
      case '^':
        source.take();
        return assertion(this.#lineAssertion('line-start', 'text-start'));
      case '$':
        source.take();
        return assertion(this.#lineAssertion('line-end', this.#finalEnd()));
      case '*':
      case '+':
      case '?':
      case '{': {
        const hint = `write ${next === '*' ? '.* for any text, or ' : ''}\\${next} for the character itself`;
        throw source.problem(`'${next}' has nothing to repeat`, hint);
      }
      default:
        return this.#literal(source.take());
    }
  }

  #literal(character: number): Tree {
    return { kind: 'set', set: caseVariants(character, caseRule(this.#source.flags)) };
  }

  #dot(): CodePoints {
    if (this.#source.flags.dotAll) return anyCodePoint;
    return complement(this.#source.flags.unixLines ? newline : lineTerminators);
  }

  #lineAssertion(perLine: 'line-start' | 'line-end', perText: Assertion): Assertion {
    const { multiline, unixLines } = this.#source.flags;
    if (!multiline) return perText;
    return unixLines ? `${perLine}-unix` : perLine;
  }

  #finalEnd(): Assertion {
    return this.#source.flags.unixLines ? 'final-end-unix' : 'final-end';
  }

  #readGroup(depth: number): Tree | undefined {
    const source = this.#source;
    const start = source.position;
    if (depth > maxNesting) throw source.problem(`groups are nested more than ${maxNesting} deep`);
    source.take();
    const before = source.flags;
    if (!source.eat('?')) return this.#readCapture(depth, start);
    if (source.eat(':')) return this.#readBody(depth, start);
    if (source.eat('>')) {
      this.#goBeyondLinear('an atomic group', start);
      return { kind: 'atomic', body: this.#readBody(depth, start) };
    }
    for (const [sign, direction, negative] of looks) {
      if (source.eat(sign)) return this.#readLook({ direction, negative }, depth, start);
    }
    if (source.eat('<')) return this.#readNamed(depth, start);
    const isWholeGroup = eatFlags(source);
    if (isWholeGroup) return undefined;
    const body = this.#readBody(depth, start);
    source.flags = before;
    return body;
  }

  /** What stands in a group up to its `)`; flags set in it end with it. */
  #readBody(depth: number, start: number): Tree {
    const source = this.#source;
    const before = source.flags;
    const body = this.#readChoice(depth);
    if (!source.eat(')')) throw source.problem('a group is not closed', undefined, start);
    source.flags = before;
    return body;
  }

  #readCapture(depth: number, start: number, name?: string): Tree {
    const index = ++this.#groupCount;
    if (index > maxGroups) {
      throw this.#source.problem(`it has more than ${maxGroups} groups`, 'write (?:…) for those not asked for', start);
    }
    if (name !== undefined) this.#names.set(name, index);
    return { kind: 'group', index, body: this.#readBody(depth, start) };
  }

  #readNamed(depth: number, start: number): Tree {
    const name = this.#readName();
    if (this.#names.has(name)) throw this.#source.problem(`there are two groups '${name}'`, undefined, start);
    return this.#readCapture(depth, start, name);
  }

  #readName(): string {
    const name = this.#source.takeWhile(/^[A-Za-z0-9]$/);
    if (/^[A-Za-z]/.test(name) && this.#source.eat('>')) return name;
    throw this.#source.problem('the name of a group is a Latin letter, then letters and digits, then >');
  }

  #readLook(look: Pick<Look, 'direction' | 'negative'>, depth: number, start: number): Tree {
    this.#goBeyondLinear(`a look-${look.direction}`, start);
    const body = this.#readBody(depth, start);
    if (look.direction === 'behind' && extentOf(body, new Map()).most > maxLookBehind) {
      throw this.#source.problem(
        `a look-behind must have a longest match of at most ${maxLookBehind} characters`,
        undefined,
        start,
      );
    }
    return { kind: 'look', ...look, body };
  }

  #readEscape(): Tree {
    const source = this.#source;
    const start = source.position - 1;
    const letter = String.fromCodePoint(source.takeRaw());
    const place = this.#placeEscape(letter);
    if (place !== undefined) return assertion(place);
    if (letter === 'R') return lineBreak;
    if (letter === 'k') return this.#readNamedReference(start);
    if (/^[1-9]$/.test(letter)) return this.#readReference(letter, start);
    const set = readSetEscape(source, letter);
    if (set !== undefined) return { kind: 'set', set };
    const character = readCharacterEscape(source, letter);
    if (character !== undefined) return this.#literal(character);
    const reason = unsupportedEscapes.get(letter) ?? 'has no meaning in Java';
    throw source.problem(`\\${letter} ${reason}`, undefined, start);
  }

  #placeEscape(letter: string): Assertion | undefined {
    const isUnicode = this.#source.flags.unicodeClasses;
    switch (letter) {
      case 'A':
        return 'text-start';
      case 'z':
        return 'text-end';
      case 'Z':
        return this.#finalEnd();
      case 'b':
        if (this.#source.peekRaw() === '{') throw this.#source.problem('\\b{g} is not supported');
        return isUnicode ? 'unicode-word-boundary' : 'word-boundary';
      case 'B':
        return isUnicode ? 'no-unicode-word-boundary' : 'no-word-boundary';
      default:
        return undefined;
    }
  }

  #readReference(first: string, start: number): Tree {
    let group = Number(first);
    // As in Java, more digits belong to the number as long as so many groups have been opened.
    while (/^[0-9]$/.test(this.#source.peekRaw()) && group * 10 + Number(this.#source.peekRaw()) <= this.#groupCount) {
      group = group * 10 + Number(this.#source.takeWhile(/^[0-9]$/, 1));
    }
    return this.#reference(group, start);
  }

  #readNamedReference(start: number): Tree {
    if (this.#source.peekRaw() !== '<') throw this.#source.problem('\\k must be followed by <name>');
    this.#source.takeRaw();
    const name = this.#readName();
    const group = this.#names.get(name);
    if (group === undefined) throw this.#source.problem(`there is no group '${name}' before this`, undefined, start);
    return this.#reference(group, start);
  }

  #reference(group: number, start: number): Tree {
    this.#goBeyondLinear('a back-reference', start);
    this.#references.push([group, start]);
    return { kind: 'reference', group, caseRule: caseRule(this.#source.flags) };
  }

  #goBeyondLinear(feature: string, start: number): void {
    this.#beyondLinear ??= this.#source.problem(
      `it uses ${feature}, which cannot be matched in linear time`,
      'only configuration of the operator may use it',
      start,
    );
  }
}

const looks = [
  ['=', 'ahead', false],
  ['!', 'ahead', true],
  ['<=', 'behind', false],
  ['<!', 'behind', true],
] as const;

const unsupportedEscapes = new Map([
  ['G', '(the end of the last match) is not supported'],
  ['X', '(a grapheme cluster) is not supported'],
  ['N', '(a character by its name) is not supported'],
]);

const lineBreak: Tree = {
  kind: 'choice',
  items: [
    {
      kind: 'sequence',
      items: [
        { kind: 'set', set: [0x0d, 0x0d] },
        { kind: 'set', set: newline },
      ],
    },
    { kind: 'set', set: verticalSpace },
  ],
};

function assertion(which: Assertion): Tree {
  return { kind: 'assertion', assertion: which };
}
