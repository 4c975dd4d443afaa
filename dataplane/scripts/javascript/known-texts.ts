/** Texts that are kept, a power of two. */
const KEPT = 64;

/** Longer texts differ more often, and take longer to compare. */
const LONGEST = 48;

/**
 * Texts that scripts hand over again and again, such as names of headers: comparing one with the memory takes less time
 * than making it. Each is kept by its place in the memory.
 */
export class KnownTexts {
  readonly #texts: string[] = new Array<string>(KEPT).fill('');

  /** Reads a text whose characters have one byte each. */
  read(memory: Buffer, start: number, length: number): string {
    if (length > LONGEST) return memory.latin1Slice(start, start + length);
    const place = (start >> 4) & (KEPT - 1);
    const known = this.#texts[place]!;
    if (known.length === length && isAt(known, memory, start)) return known;
    const text = memory.latin1Slice(start, start + length);
    this.#texts[place] = text;
    return text;
  }
}

function isAt(text: string, memory: Buffer, start: number): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) !== memory[start + at]) return false;
  return true;
}
