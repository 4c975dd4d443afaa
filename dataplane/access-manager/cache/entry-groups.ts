/** An entry of a cache that is linked to the other entries of its group. */
export interface GroupedEntry {
  /** Null for an entry without a group. */
  readonly group: string | null;
  before: this | null;
  after: this | null;
}

/** Entries of a cache by group. Links inside the entries cost less memory than a set for each group. */
export class EntryGroups<E extends GroupedEntry> {
  private readonly first = new Map<string, E>();

  add(entry: E): void {
    if (entry.group === null) return;
    const first = this.first.get(entry.group) ?? null;
    entry.after = first;
    if (first !== null) first.before = entry;
    this.first.set(entry.group, entry);
  }

  remove(entry: E): void {
    const { group, before, after } = entry;
    if (group === null) return;
    if (after !== null) after.before = before;
    if (before !== null) before.after = after;
    else if (after === null) this.first.delete(group);
    else this.first.set(group, after);
    entry.before = null;
    entry.after = null;
  }

  members(group: string): E[] {
    const found: E[] = [];
    for (let entry = this.first.get(group) ?? null; entry !== null; entry = entry.after) found.push(entry);
    return found;
  }
}
