import { PROGRAM_STEP, spend } from '../work-budget.ts';
import type { Alphabet } from './alphabet.ts';
import { op, type Program } from './program.ts';
import type { StartFinder } from './start-finder.ts';
import { holdsAt } from './text-assertion.ts';

/** Threads that wait at one place of a text, the preferred first, each with its slots. */
interface ThreadList {
  count: number;
  readonly pcs: Int32Array;
  readonly slots: Int32Array;
}

/**
 * Matches a regular program by following all ways at once: time is the length of the text times that of the program,
 * memory that of the program alone. The match is the one that backtracking would find first.
 */
export class ParallelMatcher {
  /** Instructions run, over all texts. */
  steps = 0;
  readonly #program: Program;
  readonly #alphabet: Alphabet;
  readonly #starts: StartFinder;
  readonly #visited: Float64Array;
  readonly #pending: number[] = [];
  readonly #slots: Int32Array;
  #visit = 0;
  #now: ThreadList;
  #next: ThreadList;

  constructor(program: Program, alphabet: Alphabet, starts: StartFinder) {
    this.#program = program;
    this.#alphabet = alphabet;
    this.#starts = starts;
    this.#visited = new Float64Array(program.length);
    this.#slots = new Int32Array(program.groupSlots);
    this.#now = threadList(program);
    this.#next = threadList(program);
  }

  /** The slots of the first match from a place on, or null; `whole` asks for one from there to the end of the text. */
  run(text: string, from: number, whole = false): Int32Array | null {
    let found: Int32Array | null = null;
    let start = whole ? from : this.#starts.next(text, from);
    this.#now.count = 0;
    for (let at = start; at >= 0; ) {
      const codePoint = at < text.length ? text.codePointAt(at)! : -1;
      if (at === start && found === null) this.#startHere(text, at);
      const next = at + (codePoint > 0xffff ? 2 : 1);
      const before = this.steps;
      found = this.#advance(text, codePoint, next, whole) ?? found;
      spend(PROGRAM_STEP * (1 + this.steps - before));
      if (start === at) start = codePoint < 0 || whole ? -1 : this.#starts.next(text, next);
      const isIdle = this.#now.count === 0;
      if (isIdle && found !== null) break;
      at = isIdle ? start : next;
    }
    return found;
  }

  /** Adds the threads that begin here, after those that began earlier. */
  #startHere(text: string, at: number): void {
    if (this.#now.count === 0) this.#visit++;
    this.#slots.fill(-1);
    this.#add(this.#now, this.#program.start, text, at);
  }

  /** Moves every thread over a character; the slots of a thread that has matched, if one has. */
  #advance(text: string, codePoint: number, next: number, whole: boolean): Int32Array | null {
    const { ops, x, y, groupSlots } = this.#program;
    const characterClass = codePoint < 0 ? -1 : this.#alphabet.classOf(codePoint);
    const now = this.#now;
    this.#now = this.#next;
    this.#next = now;
    this.#now.count = 0;
    this.#visit++;
    for (let i = 0; i < now.count; i++) {
      const pc = now.pcs[i]!;
      this.steps++;
      const start = i * groupSlots;
      if (ops[pc] === op.match) {
        // Threads behind one that has matched would only be asked if it had not.
        if (!whole || codePoint < 0) return now.slots.slice(start, start + groupSlots);
      } else if (characterClass >= 0 && this.#alphabet.accepts(y[pc]!, characterClass)) {
        this.#slots.set(now.slots.subarray(start, start + groupSlots));
        this.#add(this.#now, x[pc]!, text, next);
      }
    }
    return null;
  }

  /** Follows everything that takes no character, the preferred way first, and adds what waits to the list. */
  #add(list: ThreadList, first: number, text: string, at: number): void {
    const { ops, x, y, groupSlots } = this.#program;
    const slots = this.#slots;
    const pending = this.#pending;
    pending.push(first, 0);
    while (pending.length > 0) {
      const value = pending.pop()!;
      const pc = pending.pop()!;
      if (pc < 0) {
        slots[-1 - pc] = value;
        continue;
      }
      if (this.#visited[pc] === this.#visit) continue;
      this.#visited[pc] = this.#visit;
      this.steps++;
      const code = ops[pc]!;
      if (code === op.set || code === op.match) {
        list.pcs[list.count] = pc;
        list.slots.set(slots, list.count * groupSlots);
        list.count++;
      } else if (code === op.split) pending.push(y[pc]!, 0, x[pc]!, 0);
      else if (code === op.save) {
        const slot = y[pc]!;
        pending.push(-1 - slot, slots[slot]!, x[pc]!, 0);
        slots[slot] = at;
      } else if (holdsAt(y[pc]!, text, at)) pending.push(x[pc]!, 0);
    }
  }
}

function threadList(program: Program): ThreadList {
  return {
    count: 0,
    pcs: new Int32Array(program.length),
    slots: new Int32Array(program.length * program.groupSlots),
  };
}
