import type { HpackEncoder } from './hpack-encoder.ts';

/** Encoded lines, and what the table was like. */
interface Encoded {
  readonly generation: number;
  readonly bytes: Buffer;
}

const NOT_YET: Encoded = { generation: -1, bytes: Buffer.alloc(0) };
const SHORT_COPY = 32;

/**
 * Encodes texts of whole header lines for one connection. What the gateway says about a client is the same text for
 * many requests: it is encoded once, and again only when the table has changed.
 */
export class EncodedLines {
  private readonly known = new WeakMap<Buffer, Encoded>();

  /** Writes the lines of `text`, up to an empty one, at `at`. The text is never changed. @returns where it stopped. */
  write(encoder: HpackEncoder, out: Buffer, at: number, text: Buffer): number {
    const { known } = this;
    const before = known.get(text);
    if (before !== undefined && before.generation === encoder.generation) {
      const { bytes } = before;
      if (bytes.length > SHORT_COPY) return at + bytes.copy(out, at);
      for (let i = 0; i < bytes.length; i++) out[at++] = bytes[i]!;
      return at;
    }
    const { generation } = encoder;
    const end = writeLines(encoder, out, at, text, 0);
    // only what comes again enters the table, and what has just entered it is shorter the next time
    if (before === undefined) known.set(text, NOT_YET);
    else if (encoder.generation === generation) {
      known.set(text, { generation, bytes: Buffer.from(out.subarray(at, end)) });
    }
    return end;
  }
}

/** Encodes whole lines from `p` up to an empty one, at `at`. @returns where it stopped. */
export function writeLines(
  encoder: HpackEncoder,
  out: Buffer,
  at: number,
  text: Buffer,
  p: number,
  isWanted: (text: Buffer, start: number, end: number) => boolean = always,
): number {
  while (p < text.length && text[p] !== 13) {
    let colon = p;
    while (text[colon] !== 58) colon++;
    let value = colon + 1;
    while (text[value] === 32 || text[value] === 9) value++;
    let end = value;
    while (text[end] !== 13) end++;
    const next = end + 2;
    while (end > value && (text[end - 1] === 32 || text[end - 1] === 9)) end--;
    if (isWanted(text, p, colon)) at = encoder.line(out, at, text, p, colon, value, end);
    p = next;
  }
  return at;
}

function always(): boolean {
  return true;
}
