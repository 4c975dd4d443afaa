/** A type with its article. */
export function one(name: string): string {
  return /^[AEIO]/.test(name) ? `an ${name}` : `a ${name}`;
}
