import type { Place } from '../syntax/place.ts';

/** Surrounds the number of a line. Texts of a script cannot hold it: JSON escapes control characters. */
const MARK = '\u0001';

/** Stands in generated code before the code for a place. */
export function lineMark({ line }: Place): string {
  return `${MARK}${line}${MARK}`;
}

/** Puts a line break in the place of each mark of another line. @returns the line of the script for each line of code */
export function brokenIntoLines(marked: string): { readonly code: string; readonly lines: readonly number[] } {
  const parts = marked.split(MARK);
  const lines = [0];
  let code = parts[0]!;
  for (let at = 1; at < parts.length; at += 2) {
    const line = Number(parts[at]);
    if (line !== lines.at(-1)) {
      lines.push(line);
      code += '\n';
    }
    code += parts[at + 1]!;
  }
  return { code, lines };
}

/** Lines that `new Function` writes before the code. */
const LINES_BEFORE = 2;

/** The line of a script that an error comes from: that of the innermost call in its code. */
export function scriptLine(error: Error, name: string, lines: readonly number[]): number | null {
  const { stack = '' } = error;
  // The stack begins with the message, which a script can choose.
  const at = stack.indexOf(`${name}:`, error.message.length);
  const line = at < 0 ? undefined : lines[Number.parseInt(stack.slice(at + name.length + 1), 10) - LINES_BEFORE - 1];
  return line === undefined || line === 0 ? null : line;
}
