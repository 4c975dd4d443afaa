import { PROGRAM_STEP, spend } from '../work-budget.ts';
import type { Alphabet } from './alphabet.ts';
import { op, type Program } from './program.ts';
import { codePointBefore, finalBits, holdsBetween, side, sideOf } from './text-assertion.ts';

/**
 * What an automaton finds; `undecided` where what a character means depends on more than its neighbours, and where too
 * many states would have to be made.
 */
export type Verdict = 'yes' | 'no' | 'undecided';

/** Kind of search: a match anywhere, or one of the whole text. */
export type Question = 'somewhere' | 'whole';

const unknown = 0;
const dead = 1;
const accepting = 2;

/** The most numbers in the table of an automaton, and in the sets of its states; beyond them it starts afresh. */
const maxTableLength = 1 << 16;
const maxThreads = 1 << 17;

/** How many instructions one run may make states of: where every character needs a new one, other matchers do better. */
const maxFollowed = 400_000;

/** What an instruction costs that becomes part of a new state: it is followed, sorted and made part of a key. */
const STATE_STEP = 2 * PROGRAM_STEP;

interface State {
  readonly threads: readonly number[];
  /** What the character before is. */
  readonly left: number;
}

/**
 * Answers whether a regular program matches, with a deterministic automaton whose states are made when they are first
 * needed. One step is one look into a table; a state that is not there yet costs one pass over the program.
 *
 * A state is the set of instructions that wait for the next character, before any assertion there is looked at.
 */
export class Automaton {
  /** How many states were made; each costs time in the length of the program. */
  statesMade = 0;
  /** Instructions that became part of them. */
  #followed = 0;
  readonly #program: Program;
  readonly #alphabet: Alphabet;
  readonly #question: Question;
  readonly #startsAtTextStart: boolean;
  /** Columns: the classes, four times if the bits `final` and `finalUnix` matter, and the end of the text. */
  readonly #width: number;
  readonly #leftMask: number;
  readonly #asksForFinalEnd: boolean;
  readonly #visited: Uint32Array;
  #visit = 0;
  #table: Int32Array;
  #states: State[] = [];
  #rows = new Map<string, number>();
  /** The row to start in, by what stands before; 0 where it is not made yet. */
  #startRows = new Int32Array(256);
  #threads = 0;

  constructor(program: Program, alphabet: Alphabet, question: Question, startsAtTextStart: boolean) {
    this.#program = program;
    this.#alphabet = alphabet;
    this.#question = question;
    this.#startsAtTextStart = startsAtTextStart;
    this.#asksForFinalEnd = program.assertions.has(2) || program.assertions.has(3);
    this.#width = Math.max(alphabet.size * (this.#asksForFinalEnd ? 4 : 1) + 1, accepting + 1);
    this.#leftMask = program.assertions.size > 0 ? 0xff : 0;
    this.#visited = new Uint32Array(program.length);
    this.#table = new Int32Array(this.#width * 4);
  }

  /** Runs over a text from a place on; what stands before is seen by assertions. */
  run(text: string, from: number): Verdict {
    const { ascii, isMark } = this.#alphabet;
    const length = text.length;
    const tail = this.#asksForFinalEnd ? Math.max(from, length - 2) : length;
    if (from > 0 && isMark[this.#alphabet.classOf(codePointBefore(text, from))] === 1) return 'undecided';
    spend(length - from);
    const mostFollowed = this.#followed + maxFollowed;
    let row = this.#startRow(text, from);
    let at = from;
    while (at < length) {
      const unit = text.charCodeAt(at);
      let column: number;
      let next = at + 1;
      if (unit < 128) column = ascii[unit]!;
      else {
        const codePoint = text.codePointAt(at)!;
        if (codePoint > 0xffff) next++;
        column = this.#alphabet.classOf(codePoint);
        if (isMark[column] === 1) return 'undecided';
      }
      if (at >= tail) column += this.#alphabet.size * (finalBits(text, at) >> 6);
      let target = this.#table[row + column]!;
      if (target === unknown) {
        if (this.#followed > mostFollowed) return 'undecided';
        target = this.#step(row, column);
      }
      if (target <= accepting) return target === accepting ? 'yes' : 'no';
      row = target;
      at = next;
    }
    const column = this.#width - 1;
    const end = this.#table[row + column]!;
    return (end === unknown ? this.#step(row, column) : end) === accepting ? 'yes' : 'no';
  }

  #startRow(text: string, from: number): number {
    const left = this.#leftMask & (from === 0 ? side.edge : sideOf(codePointBefore(text, from)));
    const known = this.#startRows[left]!;
    if (known !== 0) return known;
    const row = this.#rowOf([this.#program.start], left);
    this.#startRows[left] = row;
    return row;
  }

  /** Makes the state that a state becomes with a column. */
  #step(row: number, column: number): number {
    this.statesMade++;
    const state = this.#states[row / this.#width]!;
    const isEnd = column === this.#width - 1;
    const characterClass = column % this.#alphabet.size;
    const right = isEnd
      ? side.edge
      : this.#alphabet.sides[characterClass]! | (Math.floor(column / this.#alphabet.size) << 6);
    const waiting = this.#follow(state, right);
    const hasMatched = waiting.includes(-1) && (isEnd || this.#question === 'somewhere');
    let target = hasMatched ? accepting : dead;
    if (!hasMatched && !isEnd) target = this.#take(waiting, characterClass);
    // Making a state may have emptied the table, and the row with it.
    if (this.#states[row / this.#width] === state) this.#table[row + column] = target;
    return target;
  }

  #take(waiting: readonly number[], characterClass: number): number {
    const { x, y, start } = this.#program;
    const taken = new Set<number>();
    for (const pc of waiting) if (pc >= 0 && this.#alphabet.accepts(y[pc]!, characterClass)) taken.add(x[pc]!);
    if (this.#question === 'somewhere' && !this.#startsAtTextStart) taken.add(start);
    if (taken.size === 0) return dead;
    return this.#rowOf(
      [...taken].sort((a, b) => a - b),
      this.#alphabet.sides[characterClass]! & this.#leftMask,
    );
  }

  /** The `set` instructions that a state reaches without taking a character, and -1 if it reaches `match`. */
  #follow({ threads, left }: State, right: number): number[] {
    const { ops, x, y } = this.#program;
    const waiting: number[] = [];
    const pending = [...threads];
    const visit = ++this.#visit;
    let seen = 0;
    for (let pc = pending.pop(); pc !== undefined; pc = pending.pop()) {
      if (this.#visited[pc] === visit) continue;
      this.#visited[pc] = visit;
      seen++;
      const code = ops[pc]!;
      if (code === op.set) waiting.push(pc);
      else if (code === op.match) waiting.push(-1);
      else if (code !== op.assert || holdsBetween(y[pc]!, left, right)) {
        pending.push(x[pc]!);
        if (code === op.split) pending.push(y[pc]!);
      }
    }
    this.#followed += seen;
    spend(STATE_STEP * seen);
    return waiting;
  }

  #rowOf(threads: readonly number[], left: number): number {
    const key = `${left}:${threads.join()}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const isFull = (this.#states.length + 1) * this.#width > maxTableLength || this.#threads > maxThreads;
    if (isFull) this.#clear();
    // Row 0 is never used, so that a row is never mistaken for one of the three numbers that are none.
    if (this.#states.length === 0) this.#states.push({ threads: [], left: -1 });
    const row = this.#states.length * this.#width;
    this.#states.push({ threads, left });
    this.#rows.set(key, row);
    this.#threads += threads.length;
    if (row + this.#width > this.#table.length) this.#grow(row + this.#width);
    return row;
  }

  #clear(): void {
    this.#states = [];
    this.#rows = new Map();
    this.#startRows.fill(0);
    this.#threads = 0;
    this.#table.fill(unknown);
  }

  #grow(needed: number): void {
    const table = new Int32Array(Math.max(needed, this.#table.length * 2));
    table.set(this.#table);
    this.#table = table;
  }
}
