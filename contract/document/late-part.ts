/** Code that few documents need. It is loaded with the first of them. */
export class LatePart<T> {
  readonly name: string;
  readonly #import: () => Promise<T>;
  #loaded: { readonly value: T } | null = null;
  #loading: Promise<T> | null = null;

  /** @param load imports it */
  constructor(name: string, load: () => Promise<T>) {
    this.name = name;
    this.#import = load;
  }

  /** The code. Judging documents is synchronous and loading is not. @throws PartMissing while it is not loaded */
  get now(): T {
    if (this.#loaded !== null) return this.#loaded.value;
    missing?.add(this as LatePart<unknown>);
    throw new PartMissing(this.name);
  }

  get isLoaded(): boolean {
    return this.#loaded !== null;
  }

  /** Loads the code; after a failure, the next call tries again. */
  async load(): Promise<T> {
    if (this.#loaded !== null) return this.#loaded.value;
    this.#loading ??= this.#import().finally(() => {
      this.#loading = null;
    });
    const value = await this.#loading;
    this.#loaded ??= { value };
    return this.#loaded.value;
  }
}

/** A document needs code that nobody loaded before it was judged. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing';

  constructor(part: string) {
    super(`the code for ${part} is not loaded`);
  }
}

/** Parts that the work under way did not find. */
let missing: Set<LatePart<unknown>> | null = null;

/** Result of work, or the parts that it needs before it can be done again. */
export type Attempt<T> =
  | { readonly isDone: true; readonly value: T }
  | { readonly isDone: false; readonly loaded: Promise<void> };

/** Does synchronous work that may need parts. A result without one of them does not count, even if the error was caught. */
export function attempt<T>(work: () => T): Attempt<T> {
  const before = missing;
  const found = new Set<LatePart<unknown>>();
  missing = found;
  let value: T | undefined;
  try {
    value = work();
  } catch (error) {
    if (found.size === 0) throw error;
  } finally {
    missing = before;
  }
  if (found.size === 0) return { isDone: true, value: value as T };
  return { isDone: false, loaded: Promise.all([...found].map((part) => part.load())).then(() => {}) };
}

/** Does synchronous work, again from its beginning when parts had to be loaded. */
export async function withParts<T>(work: () => T): Promise<T> {
  for (;;) {
    const attempted = attempt(work);
    if (attempted.isDone) return attempted.value;
    await attempted.loaded;
  }
}
