/** A token is not used for the last part of its life: this part and a second, and at most so many milliseconds. */
const MARGIN_PART = 0.1;
const MARGIN = 10_000;
/** A token may end this much earlier than was said: servers count its life from the second in which they made it. */
const SECOND = 1000;

/** Returns for how long a token can be used that lasts so many milliseconds: it must not expire on its way. */
export function usableTime(lifetime: number): number {
  return lifetime - expiryMargin(lifetime);
}

/** Returns how long before its end a token is replaced, in milliseconds. */
export function expiryMargin(lifetime: number): number {
  return Math.min(MARGIN, SECOND + lifetime * MARGIN_PART, lifetime / 2);
}
