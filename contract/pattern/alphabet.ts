import { boundaryWord, shorthands } from './character-classes.ts';
import { type CodePoints, charactersOf, rangeBefore } from './code-points.ts';
import type { Program } from './program.ts';
import { combiningMarks, sideOf } from './text-assertion.ts';

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
    const { starts, classes, members } = partition(sets);
    this.size = members.length;
    this.#starts = starts;
    this.#classes = classes;
    for (let codePoint = 0; codePoint < asciiCount; codePoint++) this.ascii[codePoint] = this.#search(codePoint);
    this.#accepts = new Uint8Array(program.sets.length * this.size);
    this.sides = new Uint8Array(this.size);
    this.isMark = new Uint8Array(this.size);
    members.forEach(({ codePoint, inSets }, number) => {
      for (const set of inSets) if (set < program.sets.length) this.#accepts[set * this.size + number] = 1;
      if (asksForLines) this.sides[number] = sideOf(codePoint);
      if (asksForWords && inSets.includes(sets.length - 1)) this.isMark[number] = 1;
    });
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

interface Member {
  /** Any character of the class. */
  readonly codePoint: number;
  readonly inSets: readonly number[];
}

/** Cuts all characters into ranges at every bound of every set; ranges that lie in the same sets are one class. */
function partition(sets: readonly CodePoints[]): { starts: Int32Array; classes: Uint16Array; members: Member[] } {
  const bounds: [position: number, set: number][] = [[0, -1]];
  sets.forEach((set, number) => {
    for (let i = 0; i < set.length; i += 2) bounds.push([set[i]!, number], [set[i + 1]! + 1, number]);
  });
  bounds.sort((a, b) => a[0] - b[0]);
  const starts: number[] = [];
  const classes: number[] = [];
  const members: Member[] = [];
  const known = new Map<string, number>();
  const inSets = new Set<number>();
  bounds.forEach(([position, set], at) => {
    if (set >= 0 && !inSets.delete(set)) inSets.add(set);
    if (bounds[at + 1]?.[0] === position || position > 0x10ffff) return;
    const sorted = [...inSets].sort((a, b) => a - b);
    const key = sorted.join();
    let number = known.get(key);
    if (number === undefined) {
      number = members.push({ codePoint: position, inSets: sorted }) - 1;
      known.set(key, number);
    }
    starts.push(position);
    classes.push(number);
  });
  return { starts: Int32Array.from(starts), classes: Uint16Array.from(classes), members };
}
