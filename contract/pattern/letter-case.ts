import { type CodePoints, intersection, ofCodePoints, shifted, union } from './code-points.ts';

/** How letters are compared: as they are, without the case of A to Z, or without the case of any letter. */
export type CaseRule = 'exact' | 'ascii' | 'unicode';

const caseDistance = 0x20;
const upperAscii: CodePoints = [0x41, 0x5a];
const lowerAscii: CodePoints = [0x61, 0x7a];

/** The characters that stand for one character under a rule. */
export function caseVariants(codePoint: number, rule: CaseRule): CodePoints {
  if (rule === 'exact') return [codePoint, codePoint];
  if (rule === 'ascii') return withAsciiCase([codePoint, codePoint]);
  const folded = foldCase(codePoint);
  return ofCodePoints([codePoint, folded, ...(foldings().byFolded.get(folded) ?? [])]);
}

/** The characters that stand for one of a range under a rule; Java tries each as it is, in upper and in lower case. */
export function rangeVariants(range: readonly [first: number, last: number], rule: CaseRule): CodePoints {
  if (rule === 'exact') return range;
  if (rule === 'ascii') return withAsciiCase(range);
  const [first, last] = range;
  const isIn = (codePoint: number) => codePoint >= first && codePoint <= last;
  const more = foldings().all.filter(({ upper, folded }) => isIn(upper) || isIn(folded));
  return union(range, ofCodePoints(more.map(({ from }) => from)));
}

/** The character by which Java compares letters of any case: the lower case of its upper case. */
export function foldCase(codePoint: number): number {
  return simpleLower(simpleUpper(codePoint));
}

/** The character by which letters A to Z compare. */
export function foldAscii(codePoint: number): number {
  return codePoint >= 0x41 && codePoint <= 0x5a ? codePoint + caseDistance : codePoint;
}

function withAsciiCase(set: CodePoints): CodePoints {
  return union(
    set,
    shifted(intersection(set, upperAscii), caseDistance),
    shifted(intersection(set, lowerAscii), -caseDistance),
  );
}

/** A character that has another case, with its upper case and what it compares by. */
interface Folding {
  readonly from: number;
  readonly upper: number;
  readonly folded: number;
}

interface Foldings {
  readonly all: readonly Folding[];
  /** The characters that compare by a character. */
  readonly byFolded: ReadonlyMap<number, readonly number[]>;
}

let memo: Foldings | undefined;

/** Every character that has another case; made when first needed, since it takes some milliseconds. */
function foldings(): Foldings {
  memo ??= readFoldings();
  return memo;
}

function readFoldings(): Foldings {
  const all: Folding[] = [];
  const byFolded = new Map<number, number[]>();
  const lastWithCase = 0x1ffff;
  for (let from = 0; from <= lastWithCase; from++) {
    const upper = simpleUpper(from);
    const folded = simpleLower(upper);
    if (upper === from && folded === from) continue;
    all.push({ from, upper, folded });
    byFolded.set(folded, [...(byFolded.get(folded) ?? []), from]);
  }
  return { all, byFolded };
}

/** Upper case of one character in one character, as Java has it: the special casing of whole texts does not apply. */
function simpleUpper(codePoint: number): number {
  const upper = onlyCodePoint(String.fromCodePoint(codePoint).toUpperCase());
  if (upper !== undefined) return upper;
  const hasIotaBelow = codePoint >= 0x1f80 && codePoint <= 0x1faf;
  if (hasIotaBelow) return codePoint | 8;
  if (codePoint === 0x1fb3 || codePoint === 0x1fc3 || codePoint === 0x1ff3) return codePoint + 9;
  return codePoint;
}

function simpleLower(codePoint: number): number {
  const capitalWithDot = 0x130;
  if (codePoint === capitalWithDot) return 0x69;
  return onlyCodePoint(String.fromCodePoint(codePoint).toLowerCase()) ?? codePoint;
}

function onlyCodePoint(text: string): number | undefined {
  const codePoint = text.codePointAt(0)!;
  return text.length === (codePoint > 0xffff ? 2 : 1) ? codePoint : undefined;
}
