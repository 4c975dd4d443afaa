/** A set of code points as ranges in ascending order: first, last, first, last. No two of them touch. */
export type CodePoints = readonly number[];

export const lastCodePoint = 0x10ffff;
export const noCodePoint: CodePoints = [];
export const anyCodePoint: CodePoints = [0, lastCodePoint];

/** The set of the ranges given, in any order and overlapping as they like. */
export function codePoints(ranges: readonly (readonly [number, number])[]): CodePoints {
  const out: number[] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) append(out, first, last);
  return out;
}

/** The set of the characters of a text. */
export function charactersOf(text: string): CodePoints {
  return ofCodePoints(Array.from(text, (character) => character.codePointAt(0)!));
}

export function ofCodePoints(members: readonly number[]): CodePoints {
  return codePoints(members.map((member) => [member, member] as const));
}

/** The set of the members moved by a distance. */
export function shifted(set: CodePoints, by: number): CodePoints {
  return set.map((bound) => bound + by);
}

export function union(...sets: readonly CodePoints[]): CodePoints {
  if (sets.length <= 1) return sets[0] ?? noCodePoint;
  // In pairs, so that thousands of sets are not copied thousands of times.
  const middle = sets.length >> 1;
  return unionOfTwo(union(...sets.slice(0, middle)), union(...sets.slice(middle)));
}

function unionOfTwo(a: CodePoints, b: CodePoints): CodePoints {
  const out: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const takesA = j >= b.length || (i < a.length && a[i]! <= b[j]!);
    if (takesA) append(out, a[i]!, a[i + 1]!);
    else append(out, b[j]!, b[j + 1]!);
    if (takesA) i += 2;
    else j += 2;
  }
  return out;
}

/** Adds a range that begins no earlier than the last one. */
function append(out: number[], first: number, last: number): void {
  const end = out.length - 1;
  if (end > 0 && first <= out[end]! + 1) out[end] = Math.max(out[end]!, last);
  else out.push(first, last);
}

export function complement(set: CodePoints): CodePoints {
  const out: number[] = [];
  let from = 0;
  for (let i = 0; i < set.length; i += 2) {
    if (set[i]! > from) out.push(from, set[i]! - 1);
    from = set[i + 1]! + 1;
  }
  if (from <= lastCodePoint) out.push(from, lastCodePoint);
  return out;
}

export function intersection(a: CodePoints, b: CodePoints): CodePoints {
  const out: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const first = Math.max(a[i]!, b[j]!);
    const last = Math.min(a[i + 1]!, b[j + 1]!);
    if (first <= last) out.push(first, last);
    if (a[i + 1]! < b[j + 1]!) i += 2;
    else j += 2;
  }
  return out;
}

export function difference(a: CodePoints, b: CodePoints): CodePoints {
  return intersection(a, complement(b));
}

/** The index of the last range that begins at or before the code point, counted in ranges; -1 if none does. */
export function rangeBefore(starts: ArrayLike<number>, stride: number, codePoint: number): number {
  let low = 0;
  let high = starts.length / stride - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (starts[middle * stride]! <= codePoint) low = middle + 1;
    else high = middle - 1;
  }
  return high;
}

export function hasCodePoint(set: CodePoints, codePoint: number): boolean {
  const range = rangeBefore(set, 2, codePoint);
  return range >= 0 && codePoint <= set[range * 2 + 1]!;
}
