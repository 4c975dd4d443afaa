/** A value as text that can be put at another place, with the comments that belong to it. */
export interface Piece {
  /** Lines of comments above it, each with its marker. */
  readonly before: readonly string[];
  /** Lines of the value. All but the first are indented relative to the line that the item begins in. */
  readonly lines: readonly string[];
  /** Comment behind it in the same line, with its marker; empty for none. */
  readonly after: string;
  /** True for a list or object of YAML by indentation: its lines begin in one column, below the key. */
  readonly isBlock: boolean;
}

/** Returns a piece without comments. */
export function plainPiece(text: string, isBlock = false): Piece {
  return { before: [], lines: text.split('\n'), after: '', isBlock };
}

/** Returns lines with blanks in front of those that are not empty. */
export function indented(lines: readonly string[], blanks: string): string[] {
  return lines.map((line) => (line === '' ? '' : blanks + line));
}

/** Returns lines without the blanks that a number of columns has. */
export function outdented(lines: readonly string[], columns: number): string[] {
  return lines.map((line) => line.slice(Math.min(columns, line.search(/[^ \t]|$/))));
}
