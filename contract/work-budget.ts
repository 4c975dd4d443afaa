/**
 * How much one evaluation of an expression, or one use of a pattern, may do, in steps of about five nanoseconds. Every
 * part of it takes time in the length of what it works on, but a thousand such parts on a long text would still hold up
 * everybody else.
 */
export const MOST_WORK = 10_000_000;

/** Cost of one step of a matcher that follows a program, relative to a table lookup. */
export const PROGRAM_STEP = 6;

/** Something took more work than it may. */
export class WorkExceeded extends Error {
  constructor() {
    super('it takes too much work on values of this size');
    this.name = 'WorkExceeded';
  }
}

/** Evaluations and matches are never interrupted, so that one count serves all. */
let left = 0;
let isUnderWay = false;

/** Begins to count, unless this is part of what is counted already. @returns what `endWork` has to be told. */
export function beginWork(most = MOST_WORK): boolean {
  const wasUnderWay = isUnderWay;
  if (!wasUnderWay) {
    isUnderWay = true;
    left = most;
  }
  return wasUnderWay;
}

export function endWork(wasUnderWay: boolean): void {
  isUnderWay = wasUnderWay;
}

/** Runs something of which all parts may do together what one of them may do by itself. */
export function workTogether<T>(run: () => T): T {
  const wasUnderWay = beginWork();
  try {
    return run();
  } finally {
    endWork(wasUnderWay);
  }
}

/** Counts work that is about to be done, where anybody counts. @throws WorkExceeded */
export function spend(steps: number): void {
  if (!isUnderWay) return;
  left -= steps;
  if (left < 0) throw new WorkExceeded();
}

/** How many steps may still be taken. */
export function workLeft(): number {
  return isUnderWay ? Math.max(0, left) : Number.POSITIVE_INFINITY;
}
