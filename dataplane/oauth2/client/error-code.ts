/** Returns the code of an error response that is safe for a log; null for anything else. */
export function errorCode(error: unknown): string | null {
  return typeof error === 'string' && /^[\w.-]{1,60}$/.test(error) ? error : null;
}
