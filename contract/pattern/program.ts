import type { CodePoints } from './code-points.ts';

/**
 * The instructions of a compiled pattern. Each has up to three numbers, `x`, `y` and `z`; `x` is where it goes on.
 * Those from `reference` on are beyond regular languages, and only the backtracking matcher runs them.
 */
export const op = {
  /** The pattern has matched. */
  match: 0,
  /** Takes one character of the class set `y`. */
  set: 1,
  /** Tries `x` first, then `y`. */
  split: 2,
  /** Writes the place into slot `y`. */
  save: 3,
  /** Goes on if assertion `y` holds. */
  assert: 4,
  /** Takes the text of a group (the index of a `Reference` in `z`); goes on at `y` if that is empty. */
  reference: 5,
  /** Copies slot `z` to slot `y`. */
  copy: 6,
  /** Begins what is atomic, with register `y`. */
  atomic: 7,
  /** Forgets all other ways since `atomic` with register `y`. */
  commit: 8,
  /** Begins a look-ahead with register `y`. */
  look: 9,
  /** Forgets all other ways since `look` and goes back to where it began. */
  lookEnd: 10,
  /** Begins a negative look-around with register `y`, which goes on at `z` if its body fails. */
  negativeLook: 11,
  /** The body of a negative look-around has matched. */
  negativeLookEnd: 12,
  /** Goes back from `y` to `z` characters, nearest first. */
  behind: 13,
  /** Goes on if the place is where the look-behind with register `y` began. */
  behindEnd: 14,
} as const;

export interface Reference {
  readonly group: number;
  readonly fold: (codePoint: number) => number;
}

/** A compiled pattern. Instruction `start` comes first. */
export interface Program {
  readonly start: number;
  readonly ops: Uint8Array;
  readonly x: Int32Array;
  readonly y: Int32Array;
  readonly z: Int32Array;
  readonly length: number;
  /** The sets that `set` instructions name, each once. */
  readonly sets: readonly CodePoints[];
  readonly references: readonly Reference[];
  /** The slots that hold starts and ends of groups, the whole first. */
  readonly groupSlots: number;
  /** All slots, those that matching needs besides included. */
  readonly slots: number;
  readonly registers: number;
  /** Whether it has no instruction beyond regular languages. */
  readonly isRegular: boolean;
  /** The assertions it makes, by index. */
  readonly assertions: ReadonlySet<number>;
}
