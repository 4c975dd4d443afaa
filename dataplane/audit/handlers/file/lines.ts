/** Lines that are one after the other, each with its end. */
export interface Lines {
  readonly bytes: Buffer;
  /** End of each line in the bytes. */
  readonly ends: readonly number[];
}

/** Lines from a place to another, without that. */
export function someLines({ bytes, ends }: Lines, from: number, to: number): Buffer {
  return bytes.subarray(startOf(ends, from), startOf(ends, to));
}

/** Bytes of one line. */
export function lineSize({ ends }: Lines, at: number): number {
  return ends[at]! - startOf(ends, at);
}

/** Puts lines together. */
export function joinedLines(lines: readonly Buffer[]): Lines {
  let end = 0;
  return {
    bytes: Buffer.concat(lines),
    ends: lines.map(({ length }) => {
      end += length;
      return end;
    }),
  };
}

const startOf = (ends: readonly number[], at: number): number => (at === 0 ? 0 : ends[at - 1]!);
