import { type CodePoints, hasCodePoint, intersection, ofCodePoints, shifted, union } from './code-points.ts';

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
  const same = foldings().filter(([, , to]) => to === folded);
  return ofCodePoints([codePoint, folded, ...same.map(([from]) => from)]);
}

/** The characters that stand for one of a range under a rule; Java tries each as it is, in upper and in lower case. */
export function rangeVariants(range: CodePoints, rule: CaseRule): CodePoints {
  if (rule === 'exact') return range;
  if (rule === 'ascii') return withAsciiCase(range);
  const more = foldings().filter(([, upper, folded]) => hasCodePoint(range, upper) || hasCodePoint(range, folded));
  return union(range, ofCodePoints(more.map(([from]) => from)));
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

let memo: readonly (readonly [from: number, upper: number, folded: number])[] | undefined;

/** Every character that has another case, with its upper case and what it compares by; made when first needed. */
function foldings(): readonly (readonly [from: number, upper: number, folded: number])[] {
  if (memo !== undefined) return memo;
  const found: [number, number, number][] = [];
  const lastWithCase = 0x1ffff;
  for (let codePoint = 0; codePoint <= lastWithCase; codePoint++) {
    const upper = simpleUpper(codePoint);
    const folded = simpleLower(upper);
    if (upper !== codePoint || folded !== codePoint) found.push([codePoint, upper, folded]);
  }
  memo = found;
  return found;
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
