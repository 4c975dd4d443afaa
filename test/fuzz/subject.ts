import type { Random } from './random.ts';

/** What is wrong with a case. */
export interface Complaint {
  /** Stays the same while the case is made smaller. */
  readonly kind: string;
  readonly detail: string;
}

/** Where cases are checked, one at a time; a lane may hold sockets of its own. */
export interface Lane<Case> {
  /** @returns what is wrong, or null. */
  check(input: Case): Complaint | null | Promise<Complaint | null>;
  close(): Promise<void>;
}

/** Something that is fuzzed. Cases are plain JSON, so that a file can hold one. */
export interface Subject<Case> {
  readonly name: string;
  /** How many lanes run side by side. */
  readonly lanes: number;
  make(random: Random): Case;
  open(): Promise<Lane<Case>>;
  /** Smaller cases, most promising first. */
  smaller(input: Case): Iterable<Case>;
  /** Segmentations tried so far. */
  readonly runs: number;
}

/** Every way to leave out a part of a text, large parts first. */
export function* shorter(text: string): Generator<string> {
  for (let size = Math.ceil(text.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < text.length; at += size) yield text.slice(0, at) + text.slice(at + size);
  }
}
