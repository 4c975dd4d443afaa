import type { Place } from '../problem.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LINE_END = /\r\n?|\n/g;
const FIRST_OF_PAIR = /[\ud800-\udbff]/;
/** Code units between two counts of surrogate pairs. */
const BLOCK = 1024;

/**
 * The lines of a text. They are found in one pass when somebody first asks, so that placing many problems costs no more
 * than placing one. A character outside the basic plane is one column.
 */
export class TextLines {
  readonly text: string;
  #starts: number[] | undefined;
  /** Surrogate pairs before each block; null for a text without any. */
  #pairs: readonly number[] | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** The place of an offset. */
  placeAt(offset: number): Place {
    const starts = this.#lineStarts();
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    const start = starts[low]!;
    return { line: low + 1, column: offset - start - this.#pairsBetween(start, offset) + 1 };
  }

  /** One line without its end, or undefined when there are fewer. */
  line(number: number): string | undefined {
    const bounds = this.#bounds(number);
    return bounds === undefined ? undefined : this.text.slice(...bounds);
  }

  /** Where a column begins in its line; the end of the line for columns beyond it. */
  offsetInLine({ line, column }: Place): number {
    const [start, end] = this.#bounds(line) ?? [0, 0];
    let [low, high] = [start, end];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (middle - start - this.#pairsBetween(start, middle) >= column - 1) high = middle;
      else low = middle + 1;
    }
    return (this.#endsPair(low) ? low + 1 : low) - start;
  }

  #bounds(number: number): [start: number, end: number] | undefined {
    const starts = this.#lineStarts();
    const start = starts[number - 1];
    if (start === undefined) return undefined;
    let end = starts[number] ?? this.text.length;
    if (starts[number] !== undefined) {
      end--;
      if (this.text.charCodeAt(end) === LINE_FEED && this.text.charCodeAt(end - 1) === CARRIAGE_RETURN && end > start) {
        end--;
      }
    }
    return [start, end];
  }

  #lineStarts(): readonly number[] {
    if (this.#starts !== undefined) return this.#starts;
    const starts = [0];
    LINE_END.lastIndex = 0;
    while (LINE_END.test(this.text)) starts.push(LINE_END.lastIndex);
    this.#pairs = FIRST_OF_PAIR.test(this.text) ? this.#countedPairs() : null;
    return (this.#starts = starts);
  }

  #pairsBetween(from: number, to: number): number {
    return this.#pairs === null ? 0 : this.#pairsBefore(to, this.#pairs) - this.#pairsBefore(from, this.#pairs);
  }

  #pairsBefore(offset: number, pairs: readonly number[]): number {
    const block = Math.min(Math.floor(offset / BLOCK), pairs.length - 1);
    let count = pairs[block]!;
    for (let at = block * BLOCK; at < offset; at++) if (this.#endsPair(at)) count++;
    return count;
  }

  #countedPairs(): number[] {
    const pairs: number[] = [];
    let count = 0;
    for (let at = 0; at <= this.text.length; at++) {
      if (at % BLOCK === 0) pairs.push(count);
      if (this.#endsPair(at)) count++;
    }
    return pairs;
  }

  /** Whether the second half of a surrogate pair is here. */
  #endsPair(at: number): boolean {
    const isLow = (this.text.charCodeAt(at) & 0xfc00) === 0xdc00;
    return isLow && (this.text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  }
}
