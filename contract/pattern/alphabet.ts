import { boundaryWord, combiningMarks, shorthands } from './character-classes.ts';
import { type CodePoints, charactersOf, lastCodePoint, rangeBefore } from './code-points.ts';
import type { Program } from './program.ts';
import { sideOf } from './text-assertion.ts';

const asciiCount = 128;
const firstWordAssertion = 8;
const firstLineAssertion = 2;

/** The characters as one pattern tells them apart: those that no part of it can tell apart are one class. */
export class Alphabet {
  /** How many classes there are. */
  readonly size: number;
  /** The class of each ASCII character; the others are asked for with `classOf`. */
  readonly ascii = new Uint16Array(asciiCount);
  /** For each class, what it is to its neighbours (see text-assertion.ts). */
  readonly sides: Uint8Array;
  /** For each class, whether what its characters are depends on those before them. */
  readonly isMark: Uint8Array;
  readonly #accepts: Uint8Array;
  readonly #starts: Int32Array;
  readonly #classes: Uint16Array;

  constructor(program: Program) {
    const sets = [...program.sets];
    const asksForWords = [...program.assertions].some((number) => number >= firstWordAssertion);
    const asksForLines = [...program.assertions].some((number) => number >= firstLineAssertion);
    if (asksForLines) sets.push(charactersOf('\r'), charactersOf('\n'), charactersOf('\u0085\u2028\u2029'));
    if (asksForWords) sets.push(boundaryWord(), shorthands.w.unicode(), combiningMarks());
    const { starts, classes, firstOf } = partition(sets);
    this.size = firstOf.length;
    this.#starts = starts;
    this.#classes = classes;
    for (let codePoint = 0; codePoint < asciiCount; codePoint++) this.ascii[codePoint] = this.#search(codePoint);
    this.#accepts = new Uint8Array(sets.length * this.size);
    sets.forEach((set, number) => {
      for (const range of rangesInside(set, starts)) this.#accepts[number * this.size + classes[range]!] = 1;
    });
    this.sides = Uint8Array.from(firstOf, (codePoint) => (asksForLines ? sideOf(codePoint) : 0));
    const lastSet = sets.length - 1;
    this.isMark = Uint8Array.from(firstOf, (_, number) => (asksForWords && this.accepts(lastSet, number) ? 1 : 0));
  }

  classOf(codePoint: number): number {
    return codePoint < asciiCount ? this.ascii[codePoint]! : this.#search(codePoint);
  }

  accepts(set: number, characterClass: number): boolean {
    return this.#accepts[set * this.size + characterClass] === 1;
  }

  #search(codePoint: number): number {
    return this.#classes[rangeBefore(this.#starts, 1, codePoint)]!;
  }
}

interface Partition {
  /** Where each range begins; it ends where the next one begins. */
  readonly starts: Int32Array;
  /** The class of each range. */
  readonly classes: Uint16Array;
  /** A character of each class. */
  readonly firstOf: readonly number[];
}

/** Cuts all characters into ranges at every bound of every set; ranges that lie in the same sets are one class. */
function partition(sets: readonly CodePoints[]): Partition {
  const bounds = new Set([0]);
  for (const set of sets) for (let i = 0; i < set.length; i++) bounds.add(set[i]! + (i & 1));
  bounds.delete(lastCodePoint + 1);
  const starts = Int32Array.from(bounds).sort();
  const classes = new Uint16Array(starts.length);
  const sizes = [starts.length];
  for (const set of sets) {
    const insideByClass = Map.groupBy(rangesInside(set, starts), (range) => classes[range]!);
    for (const [number, inside] of insideByClass) {
      // A class that lies in the set as a whole stays what it is.
      if (inside.length === sizes[number]) continue;
      sizes[number]! -= inside.length;
      const split = sizes.push(inside.length) - 1;
      for (const range of inside) classes[range] = split;
    }
  }
  const firstOf = new Array<number>(sizes.length).fill(0);
  for (let range = starts.length - 1; range >= 0; range--) firstOf[classes[range]!] = starts[range]!;
  return { starts, classes, firstOf };
}

/** The indices of the ranges that lie in a set, all of whose bounds are bounds of ranges. */
function rangesInside(set: CodePoints, starts: Int32Array): number[] {
  const inside: number[] = [];
  for (let i = 0; i < set.length; i += 2) {
    const last = rangeBefore(starts, 1, set[i + 1]!);
    for (let range = rangeBefore(starts, 1, set[i]!); range <= last; range++) inside.push(range);
  }
  return inside;
}
