/** Returns the code that Node.js gives its errors, such as `ENOENT`; null for any other error. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
