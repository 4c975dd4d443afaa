/** Beyond this many different sets, which no authorization server is meant to have, sharing begins anew. */
const MOST_SETS = 1024;

/** Equal sets of scopes as one: a million tokens have a handful of them. */
export class SharedScopes {
  private readonly sets = new Map<string, ReadonlySet<string>>();

  shared(scopes: ReadonlySet<string>): ReadonlySet<string> {
    const key = JSON.stringify([...scopes]);
    const known = this.sets.get(key);
    if (known !== undefined) return known;
    if (this.sets.size >= MOST_SETS) this.sets.clear();
    const own = new Set(scopes);
    this.sets.set(key, own);
    return own;
  }
}
