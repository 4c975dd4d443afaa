/** Header lines that a script changed, names with their values: those without values are gone. */
export type Changes = readonly (readonly string[])[];

export const NO_CHANGES: Changes = [];

const NOT_IN_LINES = /[\n\r\0]/;

/** Values that a script sets: one of them, or lines of a list. */
export interface Change {
  readonly name: string;
  /** True if the values that are there stay. */
  readonly isAdded: boolean;
  readonly values: readonly string[];
}

/** Reads header lines: values follow the name, and all of them have no line breaks. */
export function changesIn(text: string): Changes {
  return text === '' ? NO_CHANGES : text.split('\n').map((line) => line.split('\r'));
}

/** True if a text can be a name or a value: line breaks would begin another line. */
export function isLine(text: string): boolean {
  return !NOT_IN_LINES.test(text);
}

/** Changes of the headers of a message, until the script sends it. */
export class HeaderChanges {
  readonly #lines = new Map<string, readonly string[]>();

  /** Values of a header that was changed, by its name in lower case. */
  values(key: string): readonly string[] | undefined {
    return this.#lines.get(key)?.slice(1);
  }

  /** @returns the characters by which the changes grew */
  set(key: string, line: readonly string[]): number {
    const before = this.#lines.get(key);
    this.#lines.set(key, line);
    return lengthOf(line) - (before === undefined ? 0 : lengthOf(before));
  }

  /** The lines as they are now. */
  list(): Changes {
    return [...this.#lines.values()];
  }
}

function lengthOf(line: readonly string[]): number {
  let length = 0;
  for (const text of line) length += text.length;
  return length;
}
