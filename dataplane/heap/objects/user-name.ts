/** What identifies a user, by the names of claims (RFC 7519, RFC 7662), the surest first. */
const CLAIMS = ['sub', 'username'] as const;
/** Longer names are cut: a log line must stay one that can be read. */
const LONGEST = 256;

/** The name of the user in the claims of a token or in the answer to an introspection, or null. */
export function userIn(claims: Readonly<Record<string, unknown>>): string | null {
  for (const claim of CLAIMS) {
    const value = Object.hasOwn(claims, claim) ? claims[claim] : null;
    if (typeof value === 'string' && value !== '') return value.slice(0, LONGEST);
  }
  return null;
}
