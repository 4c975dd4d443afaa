/**
 * The scopes in `scope` as authorization servers write it: names with spaces between (RFC 6749, section 3.3) or an array
 * of names. None when it is absent, and null for anything else.
 */
export function scopesOf(scope: unknown): ReadonlySet<string> | null {
  if (scope === undefined) return new Set();
  if (typeof scope === 'string') return new Set(scope.split(' ').filter((name) => name !== ''));
  return Array.isArray(scope) && scope.every((name) => typeof name === 'string') ? new Set(scope) : null;
}
