import { ValueProblem } from '../../../../contract/problem.ts';

/** The suffix of rotated files: literal text and parts of a date. */
export interface RotationSuffix {
  /** The suffix of a moment, in the time zone of the process. */
  format(moment: Date): string;
  /** Source of a regular expression that matches all of its suffixes. */
  readonly matching: string;
}

const PARTS: Readonly<Record<string, (moment: Date) => number>> = {
  y: (moment) => moment.getFullYear(),
  M: (moment) => moment.getMonth() + 1,
  d: (moment) => moment.getDate(),
  H: (moment) => moment.getHours(),
  m: (moment) => moment.getMinutes(),
  s: (moment) => moment.getSeconds(),
  S: (moment) => moment.getMilliseconds(),
};

/** Quoted text, a run of one letter, or anything else. */
const TOKEN = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g;

/**
 * Reads a suffix in the notation of Java's SimpleDateFormat, as far as rotation needs it.
 *
 * @throws ValueProblem that names what is not supported
 */
export function readRotationSuffix(text: string): RotationSuffix {
  const formats: ((moment: Date) => string)[] = [];
  let matching = '';
  for (const [token, quoted, letter] of text.matchAll(TOKEN)) {
    if (letter !== undefined) {
      const part = PARTS[letter];
      if (part === undefined) {
        const message = `must not use the letter '${letter}': dates consist of y, M, d, H, m, s and S; put text in single quotes`;
        throw new ValueProblem('value', message);
      }
      const isShortYear = letter === 'y' && token.length === 2;
      formats.push((moment) => String(isShortYear ? part(moment) % 100 : part(moment)).padStart(token.length, '0'));
      matching += '\\d+';
      continue;
    }
    if (token === "'") throw new ValueProblem('value', 'has a single quote that is not closed');
    const literal = quoted === undefined ? token : quoted === '' ? "'" : quoted.replaceAll("''", "'");
    if (isPath(literal)) throw new ValueProblem('value', "must not contain '/' or control characters");
    formats.push(() => literal);
    matching += RegExp.escape(literal);
  }
  return { format: (moment) => formats.map((one) => one(moment)).join(''), matching };
}

/** Whether a text would lead out of its directory. */
export function isPath(text: string): boolean {
  return /[/\u0000-\u001f\u007f]/.test(text);
}
