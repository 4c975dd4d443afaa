/** Most names that a class does not have, and the longest of them. */
const MOST_ABSENT = 256;
const LONGEST_ABSENT = 64;

/** Members of a class by name. It outlives runs, and scripts can make names without end, so few that are absent are kept. */
export class NameCache<Member> {
  readonly #members = new Map<string, Member>();
  #absent = 0;

  get size(): number {
    return this.#members.size;
  }

  get(name: string): Member | undefined {
    return this.#members.get(name);
  }

  set(name: string, member: Member, isAbsent: boolean): void {
    if (isAbsent && (name.length > LONGEST_ABSENT || this.#absent >= MOST_ABSENT)) return;
    if (isAbsent) this.#absent++;
    this.#members.set(name, member);
  }
}
