import { PROGRAM_STEP, spend, workLeft } from '../work-budget.ts';
import type { Alphabet } from './alphabet.ts';
import { op, type Program } from './program.ts';
import type { StartFinder } from './start-finder.ts';
import { codePointBefore, holdsAt } from './text-assertion.ts';

/** Outcome of a run: match, no match, or step limit reached. */
export type Outcome = 'match' | 'none' | 'exhausted';

/** The most bits that remembering may take; a longer text needs the parallel matcher. */
const maxMemoryBits = 1 << 16;

/** The most numbers on the stack of a run, and how many are kept from one run to the next. */
const maxStackLength = 1 << 23;
const keptStackLength = 1 << 16;

/**
 * Matches a program by trying one way after the other. It runs programs of all kinds within a budget of steps. With a
 * memory of where it has been it runs a regular program in linear time: no way is tried twice from the same place.
 */
export class BacktrackingMatcher {
  /** Instructions run, over all texts. */
  steps = 0;
  /** The slots of the last match. */
  readonly slots: Int32Array;
  readonly #program: Program;
  readonly #alphabet: Alphabet;
  readonly #starts: StartFinder;
  /** For each instruction that is reached from several others its number among those, else -1. */
  readonly #joins: Int32Array;
  readonly #joinCount: number;
  /** Where look-arounds and atomic groups began: the height of the stack and the place. */
  readonly #registers: Int32Array;
  #memory = new Uint32Array(64);
  /** Ways not tried yet, as instruction and place, and old values of slots, as -1 - slot and value. */
  #stack = new Int32Array(256);
  #height = 0;

  constructor(program: Program, alphabet: Alphabet, starts: StartFinder) {
    this.#program = program;
    this.#alphabet = alphabet;
    this.#starts = starts;
    this.slots = new Int32Array(program.slots);
    this.#registers = new Int32Array(program.registers * 2);
    this.#joins = joinNumbers(program);
    this.#joinCount = this.#joins.reduce((most, join) => Math.max(most, join + 1), 0);
  }

  /** Whether this text is short enough to remember where one has been in it. */
  canRemember(text: string, from: number): boolean {
    return this.#program.isRegular && this.#joinCount * (text.length - from + 1) <= maxMemoryBits;
  }

  /** Searches from a place on; without a budget it remembers, for which `canRemember` must hold. */
  search(text: string, from: number, budget: number | null): Outcome {
    if (budget === null) this.#forget(text, from);
    const before = this.steps;
    const outcome = this.#searchWithin(text, from, budget === null ? from : -1, this.#limit(budget));
    spend(PROGRAM_STEP * (this.steps - before));
    return outcome;
  }

  #searchWithin(text: string, from: number, base: number, limit: number): Outcome {
    for (let start = this.#starts.next(text, from); start >= 0; ) {
      const outcome = this.#run(text, start, -1, base, limit);
      if (outcome !== 'none') return outcome;
      start = start < text.length ? this.#starts.next(text, start + (text.codePointAt(start)! > 0xffff ? 2 : 1)) : -1;
    }
    return 'none';
  }

  /** Whether the text as a whole matches. */
  matchWhole(text: string, budget: number | null): Outcome {
    if (budget === null) this.#forget(text, 0);
    const before = this.steps;
    const outcome = this.#run(text, 0, text.length, budget === null ? 0 : -1, this.#limit(budget));
    spend(PROGRAM_STEP * (this.steps - before));
    return outcome;
  }

  /** The step at which a run has to stop: past its own budget or just past what may be spent at all. */
  #limit(budget: number | null): number {
    return this.steps + Math.min(budget ?? Number.POSITIVE_INFINITY, Math.floor(workLeft() / PROGRAM_STEP) + 1);
  }

  /** `mustEnd` is where a match has to end, or -1; `base` is the place that memory begins with, or -1 without memory. */
  #run(text: string, start: number, mustEnd: number, base: number, limit: number): Outcome {
    const { ops, x, y } = this.#program;
    const alphabet = this.#alphabet;
    const joins = this.#joins;
    const slots = this.slots;
    const span = text.length - base + 1;
    slots.fill(-1);
    this.#height = 0;
    if (this.#stack.length > keptStackLength) this.#stack = new Int32Array(keptStackLength);
    let pc = this.#program.start;
    let at = start;
    for (;;) {
      if (++this.steps > limit || this.#height > maxStackLength) return 'exhausted';
      const join = joins[pc]!;
      let next = -1;
      if (base < 0 || join < 0 || !this.#wasHere(join * span + at - base)) {
        switch (ops[pc]) {
          case op.set:
            if (at < text.length) {
              const codePoint = text.codePointAt(at)!;
              if (alphabet.accepts(y[pc]!, alphabet.classOf(codePoint))) {
                at += codePoint > 0xffff ? 2 : 1;
                next = x[pc]!;
              }
            }
            break;
          case op.split:
            this.#push(y[pc]!, at);
            next = x[pc]!;
            break;
          case op.save: {
            const slot = y[pc]!;
            this.#push(-1 - slot, slots[slot]!);
            slots[slot] = at;
            next = x[pc]!;
            break;
          }
          case op.assert:
            if (holdsAt(y[pc]!, text, at)) next = x[pc]!;
            break;
          case op.match:
            if (mustEnd < 0 || at === mustEnd) return 'match';
            break;
          default:
            next = this.#beyond(text, pc, at);
            at = this.#place;
        }
      }
      if (next < 0) {
        next = this.#pop();
        if (next < 0) return 'none';
        at = this.#place;
      }
      pc = next;
    }
  }

  /** Where `#beyond` and `#pop` go on in the text. */
  #place = 0;

  /** Runs an instruction beyond regular languages and gives the next one, or -1 if it fails. */
  #beyond(text: string, pc: number, at: number): number {
    const { ops, x, y, z } = this.#program;
    const next = x[pc]!;
    const register = y[pc]! * 2;
    const registers = this.#registers;
    this.#place = at;
    switch (ops[pc]) {
      case op.reference: {
        const length = this.#referenceLength(text, z[pc]!, at);
        if (length < 0) return -1;
        this.#place = at + length;
        return length === 0 ? y[pc]! : next;
      }
      case op.copy: {
        const slot = y[pc]!;
        this.#push(-1 - slot, this.slots[slot]!);
        this.slots[slot] = this.slots[z[pc]!]!;
        return next;
      }
      case op.atomic:
      case op.look:
      case op.negativeLook:
        registers[register] = this.#height;
        registers[register + 1] = at;
        if (ops[pc] === op.negativeLook) this.#push(z[pc]!, at);
        return next;
      case op.commit:
        this.#forgetWays(registers[register]!);
        return next;
      case op.lookEnd:
        this.#forgetWays(registers[register]!);
        this.#place = registers[register + 1]!;
        return next;
      case op.negativeLookEnd:
        this.#undo(registers[register]!);
        return -1;
      case op.behindEnd:
        return registers[register + 1] === at ? next : -1;
      default:
        return this.#lookBack(text, pc, at);
    }
  }

  /** Begins a look-behind at every place it may begin at, the nearest first. */
  #lookBack(text: string, pc: number, at: number): number {
    const { x, y, z } = this.#program;
    const places: number[] = [];
    let place = at;
    for (let back = 0; back <= z[pc]!; back++) {
      if (back >= y[pc]!) places.push(place);
      if (place === 0) break;
      place -= codePointBefore(text, place) > 0xffff ? 2 : 1;
    }
    this.steps += places.length;
    for (const other of places.reverse()) this.#push(x[pc]!, other);
    return -1;
  }

  /** How many units the text of a group takes here, or -1 if it is not here. */
  #referenceLength(text: string, number: number, at: number): number {
    const { group, fold } = this.#program.references[number]!;
    const start = this.slots[2 * group]!;
    const end = this.slots[2 * group + 1]!;
    if (start < 0 || end < 0) return -1;
    let here = at;
    for (let there = start; there < end; ) {
      if (here >= text.length) return -1;
      const expected = text.codePointAt(there)!;
      const found = text.codePointAt(here)!;
      this.steps++;
      if (expected !== found && fold(expected) !== fold(found)) return -1;
      there += expected > 0xffff ? 2 : 1;
      here += found > 0xffff ? 2 : 1;
    }
    return here - at;
  }

  #push(first: number, second: number): void {
    if (this.#height + 2 > this.#stack.length) {
      const larger = new Int32Array(this.#stack.length * 2);
      larger.set(this.#stack);
      this.#stack = larger;
    }
    this.#stack[this.#height++] = first;
    this.#stack[this.#height++] = second;
  }

  /** Takes the last way not tried yet, with the slots as they were; -1 if there is none. */
  #pop(): number {
    while (this.#height > 0) {
      this.#height -= 2;
      const first = this.#stack[this.#height]!;
      const second = this.#stack[this.#height + 1]!;
      if (first >= 0) {
        this.#place = second;
        return first;
      }
      this.slots[-1 - first] = second;
    }
    return -1;
  }

  /** Forgets the ways above a height and keeps the old values of slots, which a later failure has to restore. */
  #forgetWays(height: number): void {
    let kept = height;
    for (let i = height; i < this.#height; i += 2) {
      if (this.#stack[i]! >= 0) continue;
      this.#stack[kept++] = this.#stack[i]!;
      this.#stack[kept++] = this.#stack[i + 1]!;
    }
    this.steps += (this.#height - height) / 2;
    this.#height = kept;
  }

  /** Forgets the ways above a height and restores the slots. */
  #undo(height: number): void {
    while (this.#height > height) {
      this.#height -= 2;
      const first = this.#stack[this.#height]!;
      if (first < 0) this.slots[-1 - first] = this.#stack[this.#height + 1]!;
    }
  }

  #forget(text: string, from: number): void {
    const words = ((this.#joinCount * (text.length - from + 1)) >> 5) + 1;
    if (words > this.#memory.length) this.#memory = new Uint32Array(words * 2);
    else this.#memory.fill(0, 0, words);
  }

  /** Remembers a bit; whether it was remembered before. */
  #wasHere(bit: number): boolean {
    const word = this.#memory[bit >> 5]!;
    const mask = 1 << (bit & 31);
    if ((word & mask) !== 0) return true;
    this.#memory[bit >> 5] = word | mask;
    return false;
  }
}

/** Numbers the instructions that are reached from several places; each of the others has only one way to it. */
function joinNumbers(program: Program): Int32Array {
  const { ops, x, y, length } = program;
  const reached = new Uint8Array(length);
  const count = (pc: number) => {
    if (reached[pc]! < 2) reached[pc]!++;
  };
  for (let pc = 0; pc < length; pc++) {
    if (ops[pc] === op.match) continue;
    count(x[pc]!);
    if (ops[pc] === op.split) count(y[pc]!);
  }
  // Every start of a search begins with the first instruction, but at a place of its own.
  let joins = 0;
  return Int32Array.from(reached, (times) => (times > 1 ? joins++ : -1));
}
