/** The place of an entry in a group, linked to the other places of that group. */
export interface GroupPlace<E> {
  readonly group: string;
  readonly entry: E;
  before: GroupPlace<E> | null;
  after: GroupPlace<E> | null;
}

/** Entries of a cache by group. Linked places cost less memory than a set for each group. */
export class EntryGroups<E> {
  private readonly first = new Map<string, GroupPlace<E>>();

  add(entry: E, group: string): GroupPlace<E> {
    const after = this.first.get(group) ?? null;
    const place: GroupPlace<E> = { group, entry, before: null, after };
    if (after !== null) after.before = place;
    this.first.set(group, place);
    return place;
  }

  remove(place: GroupPlace<E>): void {
    const { group, before, after } = place;
    if (after !== null) after.before = before;
    if (before !== null) before.after = after;
    else if (after === null) this.first.delete(group);
    else this.first.set(group, after);
    place.before = null;
    place.after = null;
  }

  members(group: string): E[] {
    const found: E[] = [];
    for (let place = this.first.get(group) ?? null; place !== null; place = place.after) found.push(place.entry);
    return found;
  }
}
