import type { Budget } from './java-class.ts';

/** Scripts run one at a time between two waits, so that one place can hold the budget of the running one. */
let running: Budget | null = null;

/** Sets the budget that texts, hashes and keys of values are charged to. */
export function setMeter(budget: Budget | null): void {
  running = budget;
}

/** Budget of the run that runs now, or null. */
export function meter(): Budget | null {
  return running;
}

/** Charges the work on one value: nested lists that share parts have far more values than objects. */
export function chargeValue(): void {
  running?.spend(1);
}

/** Charges a text that is about to be kept. */
export function chargeText(length: number): void {
  running?.allocate(2 * length);
}

/** Length up to which looking at a text costs no more than any other operation. */
export const SHORT_TEXT = 256;

/** Charges looking at every character of a text, which keeps nothing. */
export function chargeLength(length: number): void {
  if (length > SHORT_TEXT) running?.spend(length >> 4);
}

/** Charges characters of a text that are handled one by one. */
export function chargeCharacters(count: number): void {
  if (count > SHORT_TEXT) running?.spend(4 * count);
}

/** Charges elements that are about to be copied, and objects of so many bytes that are made for each. */
export function chargeItems(count: number, bytes = 0): void {
  if (count > 0) running?.allocate(count * (8 + bytes));
}
