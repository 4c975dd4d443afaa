/**
 * Finds a part in a text, first or last, from a place on; -1 where there is none. The time is the sum of both lengths:
 * what the language itself brings takes their product for texts such as `aaaaaa` and parts such as `aaba`.
 */
export interface TextSearch {
  first(text: string, from: number): number;
  /** The last one that begins at `from` or earlier. */
  last(text: string, from: number): number;
}

/** Parts up to this length are found fast enough by the language itself, which is many times faster on usual texts. */
const SHORT = 32;
/** So are all parts where the product of the lengths is no more than this. */
const SMALL = 1 << 18;

export function textSearch(part: string): TextSearch {
  let forth: Int32Array | null = null;
  let back: Int32Array | null = null;
  const isPlain = (text: string): boolean => part.length <= SHORT || part.length * text.length <= SMALL;
  return {
    first(text, from) {
      if (isPlain(text)) return text.indexOf(part, from);
      forth ??= borders(part, 0, 1);
      return scan(text, part, Math.max(0, from), forth, 0, 1);
    },
    last(text, from) {
      if (isPlain(text)) return text.lastIndexOf(part, from);
      back ??= borders(part, part.length - 1, -1);
      const start = Math.min(text.length, from + part.length) - 1;
      const end = scan(text, part, start, back, part.length - 1, -1);
      return end < 0 ? -1 : end - part.length + 1;
    },
  };
}

/** For each beginning of a part, read from one end, the length of the longest shorter one that it also ends with. */
function borders(part: string, origin: number, step: 1 | -1): Int32Array {
  const table = new Int32Array(part.length);
  for (let at = 1, matched = 0; at < part.length; at++) {
    const unit = part.charCodeAt(origin + step * at);
    while (matched > 0 && part.charCodeAt(origin + step * matched) !== unit) matched = table[matched - 1]!;
    if (part.charCodeAt(origin + step * matched) === unit) matched++;
    table[at] = matched;
  }
  return table;
}

/** Where the part begins, in the direction of reading; -1 where it is not found. */
function scan(text: string, part: string, from: number, table: Int32Array, origin: number, step: 1 | -1): number {
  for (let at = from, matched = 0; at >= 0 && at < text.length; at += step) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(origin + step * matched) !== unit) matched = table[matched - 1]!;
    if (part.charCodeAt(origin + step * matched) === unit) matched++;
    if (matched === part.length) return at - step * (part.length - 1);
  }
  return -1;
}
