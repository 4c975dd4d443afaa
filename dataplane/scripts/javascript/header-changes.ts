/** Header lines that a script changed, names with their values: those without values are gone. */
export type Changes = readonly (readonly string[])[];

export const NO_CHANGES: Changes = [];

const NOT_IN_LINES = /[\n\r\0]/;

/** Reads header lines: values follow the name, and all of them have no line breaks. */
export function changesIn(text: string): Changes {
  return text === '' ? NO_CHANGES : text.split('\n').map((line) => line.split('\r'));
}

/** True if a text can be a name or a value: line breaks would begin another line. */
export function isLine(text: string): boolean {
  return !NOT_IN_LINES.test(text);
}

/** Changes that are looked through one by one: a table takes longer to make. */
const FEW = 8;

/** Changes of the headers of a message, until the script sends it. */
export class HeaderChanges {
  /** Names in lower case, and the lines at the same places. */
  readonly #keys: string[] = [];
  readonly #lines: (readonly string[])[] = [];
  /** Places by name, once there are many. */
  #places: Map<string, number> | null = null;

  #place(key: string): number {
    return this.#places === null ? this.#keys.indexOf(key) : (this.#places.get(key) ?? -1);
  }

  /** Values of a header that was changed, by its name in lower case. */
  values(key: string): readonly string[] | undefined {
    return this.#lines[this.#place(key)]?.slice(1);
  }

  /** @returns the characters by which the changes grew */
  set(key: string, line: readonly string[]): number {
    const place = this.#place(key);
    if (place < 0) {
      this.#add(key, line);
      return lengthOf(line);
    }
    const before = this.#lines[place]!;
    this.#lines[place] = line;
    return lengthOf(line) - lengthOf(before);
  }

  #add(key: string, line: readonly string[]): void {
    this.#places?.set(key, this.#keys.length);
    this.#keys.push(key);
    this.#lines.push(line);
    if (this.#keys.length === FEW) this.#places = new Map(this.#keys.map((each, place) => [each, place]));
  }

  /** The lines as they are now. */
  list(): Changes {
    return this.#lines.slice();
  }
}

function lengthOf(line: readonly string[]): number {
  let length = 0;
  for (const text of line) length += text.length;
  return length;
}
