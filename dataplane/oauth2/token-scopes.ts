/** What texts hold that came lately: of all tokens of a server only a handful have different ones. */
const known = new Map<string, ReadonlySet<string>>();
const MOST_KNOWN = 256;

/**
 * The scopes in `scope` as authorization servers write it: names with spaces between (RFC 6749, section 3.3) or an array
 * of names. None when it is absent, and null for anything else.
 */
export function scopesOf(scope: unknown): ReadonlySet<string> | null {
  if (scope === undefined) return new Set();
  if (typeof scope === 'string') return scopesIn(scope);
  return Array.isArray(scope) && scope.every((name) => typeof name === 'string') ? new Set(scope) : null;
}

function scopesIn(text: string): ReadonlySet<string> {
  const before = known.get(text);
  if (before !== undefined) return before;
  const scopes = new Set(text.split(' ').filter((name) => name !== ''));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, scopes);
  return scopes;
}
