import { PROGRAM } from './log-level.ts';
import { type Colour, coloured } from './log-style.ts';
import { visibleText, visibleValue } from './visible-text.ts';

const LEVELS: Readonly<Record<number, readonly [name: string, colour: Colour]>> = {
  20: ['DEBUG', 'grey'],
  30: ['INFO', 'green'],
  40: ['WARN', 'yellow'],
  50: ['ERROR', 'red'],
};
const LONGEST_LEVEL = 5;
const INDENT = '    ';

/** Writes a line of pino for people: time, level, message, fields; texts of several lines stand below it. */
export function textLogLine(line: string, isColoured: boolean): string {
  const { time, level, msg, pid: _pid, hostname: _machine, ...fields } = JSON.parse(line) as PinoLine;
  const paint = (text: string, colour: Colour): string => (isColoured ? coloured(text, colour) : text);
  const [word, colour] = LEVELS[level] ?? [String(level), 'grey' as const];
  const parts = [paint(String(time), 'grey'), paint(word.padEnd(LONGEST_LEVEL), colour)];
  const [message = '', ...below] = String(msg ?? '').split('\n');
  if (message !== '') parts.push(visibleText(message));
  let more = indented(below);
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'name' && value === PROGRAM) continue;
    const text = stackOf(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
    if (text.includes('\n')) more += `  ${visibleText(name)}:\n${indented(text.trimEnd().split('\n'))}`;
    else parts.push(`${paint(`${visibleText(name)}=`, 'grey')}${fieldText(value, text)}`);
  }
  return `${parts.join(' ')}\n${more}`;
}

interface PinoLine {
  readonly time?: unknown;
  readonly level: number;
  readonly msg?: unknown;
  readonly [field: string]: unknown;
}

/** A text as one value; numbers, lists and objects as the JSON that they are. */
function fieldText(value: unknown, text: string): string {
  return typeof value === 'string' ? visibleValue(text) : visibleText(text);
}

/** The stack of an error, which begins with its message. */
function stackOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !('stack' in value)) return null;
  return typeof value.stack === 'string' ? value.stack : null;
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `${INDENT}${visibleText(line)}\n`).join('');
}
