import { type TextSearch, textSearch } from '../text-search.ts';
import { spend } from '../work-budget.ts';
import type { Alphabet } from './alphabet.ts';
import { op, type Program } from './program.ts';

/** Finds positions in a text at which a match of a program can begin. */
export class StartFinder {
  readonly #alphabet: Alphabet;
  /** For each class whether a match can begin with it; null if a match may be empty or begin in ways not looked into. */
  readonly #canStart: Uint8Array | null;
  readonly #literal: TextSearch | null;
  readonly #startsAtTextStart: boolean;

  /** `literal` is a text with which every match begins. */
  constructor(program: Program, alphabet: Alphabet, literal: string, startsAtTextStart: boolean) {
    this.#alphabet = alphabet;
    this.#literal = literal === '' ? null : textSearch(literal);
    this.#startsAtTextStart = startsAtTextStart;
    this.#canStart = firstClasses(program, alphabet);
  }

  /** The first place from `at` on where a match can begin, or -1. */
  next(text: string, at: number): number {
    if (this.#startsAtTextStart) return at === 0 ? 0 : -1;
    if (this.#literal !== null) return this.#literal.first(text, at);
    const canStart = this.#canStart;
    if (canStart === null) return at <= text.length ? at : -1;
    const from = at;
    while (at < text.length) {
      const codePoint = text.codePointAt(at)!;
      if (canStart[this.#alphabet.classOf(codePoint)] === 1) break;
      at += codePoint > 0xffff ? 2 : 1;
    }
    spend(at - from);
    return at < text.length ? at : -1;
  }
}

function firstClasses(program: Program, alphabet: Alphabet): Uint8Array | null {
  const { ops, x, y } = program;
  const classes = new Uint8Array(alphabet.size);
  const seen = new Set<number>();
  const pending = [program.start];
  for (let pc = pending.pop(); pc !== undefined; pc = pending.pop()) {
    if (seen.has(pc)) continue;
    seen.add(pc);
    const code = ops[pc]!;
    if (code === op.set) {
      for (let number = 0; number < alphabet.size; number++) if (alphabet.accepts(y[pc]!, number)) classes[number] = 1;
    } else if (code === op.match || code >= op.reference) return null;
    else {
      pending.push(x[pc]!);
      if (code === op.split) pending.push(y[pc]!);
    }
  }
  return classes;
}
