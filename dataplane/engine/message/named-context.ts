/** A context and those that were added after it. Exchanges have one or two, for which a Map would be the larger part. */
export interface NamedContext {
  readonly name: string;
  value: unknown;
  next: NamedContext | null;
}

export function findContext(first: NamedContext | null, name: string): NamedContext | null {
  for (let one = first; one !== null; one = one.next) if (one.name === name) return one;
  return null;
}

/** Puts a context in the place of one with its name, or behind all. @returns the first of them. */
export function withContext(first: NamedContext | null, name: string, value: unknown): NamedContext {
  if (first === null) return { name, value, next: null };
  for (let one = first; ; one = one.next) {
    if (one.name === name) {
      one.value = value;
      return first;
    }
    if (one.next === null) {
      one.next = { name, value, next: null };
      return first;
    }
  }
}

export function* eachContext(first: NamedContext | null): Iterable<NamedContext> {
  for (let one = first; one !== null; one = one.next) yield one;
}
