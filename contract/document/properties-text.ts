import { Buffer, isUtf8 } from 'node:buffer';
import type { PlacedProblem } from './document-text.ts';
import { withoutMark } from './text-place.ts';

/**
 * Reads the format of Java's `.properties` files. Bytes are UTF-8 or, where they are not, ISO 8859-1, which is what such
 * files were written in before. A malformed escape leaves its line out, and of a key that is there twice the last one
 * counts, as in Java; both are reported to who asks.
 */
export function readPropertiesText(
  given: string | Uint8Array,
  report: (problem: PlacedProblem) => void = () => undefined,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const lines = new Map<string, number>();
  for (const { text, line } of logicalLines(decode(given))) {
    const { key, value } = splitLine(text);
    const name = unescaped(key);
    const content = unescaped(value);
    if (name === undefined || content === undefined) {
      report(problem('text', [], 'has \\u without four hexadecimal digits', line));
      continue;
    }
    const first = lines.get(name);
    if (first === undefined) lines.set(name, line);
    else {
      const twice = problem('duplicate-key', [name], `is written twice: it is already in line ${first}`, line);
      report({ ...twice, otherPlaces: [{ line: first, column: 1 }] });
    }
    values.set(name, content);
  }
  return values;
}

function decode(given: string | Uint8Array): string {
  if (typeof given === 'string') return withoutMark(given);
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  return withoutMark(bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1'));
}

interface LogicalLine {
  readonly text: string;
  /** The first of the lines it is written on. */
  readonly line: number;
}

/** Lines that end in an odd number of backslashes go on in the next one, whose indentation does not count. */
function logicalLines(text: string): LogicalLine[] {
  const result: LogicalLine[] = [];
  let joined: { parts: string[]; line: number } | undefined;
  for (const [index, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const content = raw.replace(/^[ \t\f]+/, '');
    if (joined === undefined && (content === '' || /^[#!]/.test(content))) continue;
    joined ??= { parts: [], line: index + 1 };
    const goesOn = /(?<!\\)(?:\\\\)*\\$/.test(content);
    joined.parts.push(goesOn ? content.slice(0, -1) : content);
    if (goesOn) continue;
    result.push({ text: joined.parts.join(''), line: joined.line });
    joined = undefined;
  }
  if (joined !== undefined) result.push({ text: joined.parts.join(''), line: joined.line });
  return result;
}

/** The key ends at the first `=`, `:` or blank that is not escaped. */
function splitLine(text: string): { key: string; value: string } {
  let end = 0;
  while (end < text.length && !'=: \t\f'.includes(text[end]!)) end += text[end] === '\\' ? 2 : 1;
  const value = text.slice(end).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '');
  return { key: text.slice(0, end), value };
}

const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
  ['f', '\f'],
]);

/** Undefined for a malformed `\u`; any other escaped character stands for itself. */
function unescaped(text: string): string | undefined {
  let isSound = true;
  const result = text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (_, digits: string | undefined, character: string) => {
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
    if (character === 'u') isSound = false;
    return CONTROLS.get(character) ?? character;
  });
  return isSound ? result : undefined;
}

function problem(code: 'text' | 'duplicate-key', path: string[], message: string, line: number): PlacedProblem {
  return { code, severity: 'error', path, message, place: { line, column: 1 } };
}
