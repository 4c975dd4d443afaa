/** Returns the milliseconds of `expires_in` in the answer of a token endpoint; null where it names no finite number. */
export function namedLifetime(value: unknown): number | null {
  const seconds = namedSeconds(value);
  return seconds !== null && Number.isFinite(seconds) ? seconds * 1000 : null;
}

/** Returns the seconds of `expires_in`; null where it names no number. Some servers write the number as a text. */
export function namedSeconds(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' ? number : null;
}
