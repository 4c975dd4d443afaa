import { ValueProblem } from './problem.ts';

const NANOSECONDS = {
  days: 86_400_000_000_000n,
  hours: 3_600_000_000_000n,
  minutes: 60_000_000_000n,
  seconds: 1_000_000_000n,
  milliseconds: 1_000_000n,
  microseconds: 1000n,
  nanoseconds: 1n,
} as const;

/** From the coarsest to the finest. */
export type DurationUnit = keyof typeof NANOSECONDS;

const UNITS: ReadonlyMap<string, DurationUnit> = new Map(
  Object.entries({
    days: ['d', 'day', 'days'],
    hours: ['h', 'hour', 'hours'],
    minutes: ['m', 'min', 'minute', 'minutes'],
    seconds: ['s', 'sec', 'second', 'seconds'],
    milliseconds: ['ms', 'milli', 'millis', 'millisec', 'millisecond', 'milliseconds'],
    // A keyboard's micro sign and the Greek letter look the same.
    microseconds: ['us', '\u00b5s', '\u03bcs', 'micro', 'micros', 'microsec', 'microsecond', 'microseconds'],
    nanoseconds: ['ns', 'nano', 'nanos', 'nanosec', 'nanosecond', 'nanoseconds'],
  } satisfies Record<DurationUnit, string[]>).flatMap(([unit, names]) =>
    names.map((name) => [name, unit as DurationUnit] as const),
  ),
);

const UNLIMITED_WORDS = new Set(['unlimited', 'indefinite', 'infinity', 'undefined', 'none']);
const ZERO_WORDS = new Set(['zero', 'disabled']);
const LONGEST_TEXT = 200;
/** What one number may be, as in OpenIG. */
const LARGEST_NUMBER = 2n ** 63n - 1n;

/** A length of time, or no limit at all. */
export class Duration {
  /** How much of `unit` it is; 0 when unlimited. */
  readonly amount: bigint;
  /** The finest unit it was written with; null when unlimited. */
  readonly unit: DurationUnit | null;
  /** What of the text had no effect, for whoever can warn about it; empty when all of it counts. */
  readonly ignored: string;

  constructor(amount: bigint, unit: DurationUnit | null, ignored = '') {
    this.amount = amount;
    this.unit = unit;
    this.ignored = ignored;
  }

  get unlimited(): boolean {
    return this.unit === null;
  }

  get zero(): boolean {
    return this.unit !== null && this.amount === 0n;
  }

  /** Null when unlimited. */
  get nanoseconds(): bigint | null {
    return this.unit === null ? null : this.amount * NANOSECONDS[this.unit];
  }

  /** Whole milliseconds, the rest cut off, at most the largest safe integer; Infinity when unlimited. */
  get milliseconds(): number {
    const exact = this.nanoseconds;
    return exact === null ? Number.POSITIVE_INFINITY : Math.min(Number(exact / 1_000_000n), Number.MAX_SAFE_INTEGER);
  }

  /** In words that `readDuration` reads back. */
  toString(): string {
    if (this.unit === null) return 'unlimited';
    return `${this.amount} ${this.amount === 1n ? this.unit.slice(0, -1) : this.unit}`;
  }
}

/**
 * Reads `10 s`, `2 minutes and 20 seconds`, `1 min, 2 s`, `unlimited` or `zero`, in any case.
 *
 * Parts between `,` and `and` are added up. Within a part, `23 hours 59 minutes` counts as long as each unit is finer
 * than the one before; OpenIG takes the first number and unit of a part and drops the rest, and so do we
 * with what is not such a sequence (`1 s 2 s` is 1 s), but `ignored` tells.
 *
 * @throws ValueProblem with the code 'duration'.
 */
export function readDuration(text: string): Duration {
  if (text.length > LONGEST_TEXT) throw unreadable(`is longer than ${LONGEST_TEXT} characters`);
  const word = text.trim().toLowerCase();
  if (word === '') throw unreadable('is empty');
  if (UNLIMITED_WORDS.has(word)) return new Duration(0n, null);
  if (ZERO_WORDS.has(word)) return new Duration(0n, 'seconds');
  const ignored: string[] = [];
  const pieces = text
    .replace(/,+$/, '')
    .split(/,| and /i)
    .flatMap((part) => readPart(part, ignored));
  const unit = pieces.map((piece) => piece.unit).reduce((finest, other) => (isFiner(other, finest) ? other : finest));
  const total = pieces.reduce((sum, piece) => sum + piece.amount * NANOSECONDS[piece.unit], 0n);
  return new Duration(total / NANOSECONDS[unit], unit, ignored.join(' '));
}

interface Piece {
  readonly amount: bigint;
  readonly unit: DurationUnit;
}

function readPart(part: string, ignored: string[]): Piece[] {
  const first = readPiece(part.trim());
  const pieces = [first.piece];
  let { rest } = first;
  while (rest !== '') {
    const next = finerPiece(rest, pieces.at(-1)!.unit);
    if (next === undefined) {
      ignored.push(rest);
      break;
    }
    pieces.push(next.piece);
    rest = next.rest;
  }
  return pieces;
}

function finerPiece(text: string, than: DurationUnit): ReturnType<typeof readPiece> | undefined {
  const unit = UNITS.get(/^\d+\s*(\p{L}+)/u.exec(text)?.[1]?.toLowerCase() ?? '');
  return unit !== undefined && isFiner(unit, than) ? readPiece(text) : undefined;
}

function readPiece(text: string): { piece: Piece; rest: string } {
  if (text === '') throw unreadable('has an empty part');
  const [whole, digits, name] = /^(\d*)\s*(\p{L}*)/u.exec(text)!;
  if (digits === '' || digits === undefined) {
    throw unreadable(text.startsWith('-') ? 'must not be negative' : `must have a number before '${text}'`);
  }
  if (name === '' || name === undefined) {
    const isFraction = /^[.]\d/.test(text.slice(whole.length));
    throw unreadable(isFraction ? 'must be made of whole numbers' : `must have a unit after ${digits}`);
  }
  const unit = UNITS.get(name.toLowerCase());
  if (unit === undefined) throw unreadable(`has an unknown unit '${name}'`);
  const amount = BigInt(digits);
  if (amount > LARGEST_NUMBER) throw unreadable(`has a number that is too large: ${digits}`);
  return { piece: { amount, unit }, rest: text.slice(whole.length).trim() };
}

function isFiner(unit: DurationUnit, than: DurationUnit): boolean {
  return NANOSECONDS[unit] < NANOSECONDS[than];
}

function unreadable(reason: string): ValueProblem {
  const units = 'days, hours, minutes, seconds, milliseconds, microseconds or nanoseconds';
  return new ValueProblem('duration', reason, `write a whole number and a unit (${units}), such as '10 seconds'`);
}
