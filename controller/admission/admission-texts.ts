import { printable } from '../../contract/document/printable-text.ts';
import { type Problem, pathText } from '../../contract/problem.ts';
import { problemText } from '../../contract/problem-text.ts';

/** What the API server passes on without cutting it off, in characters. */
const LONGEST_WARNING = 256;
const LONGEST_WARNINGS = 4096;
/** An answer that is much longer helps nobody. */
const LONGEST_DENIAL = 8192;

/** Every error in the words of `gatewarden check`. */
export function errorsText(label: string, errors: readonly Problem[]): string {
  const textOf = (problem: Problem): string => problemText(problem, { label });
  return cutOff(
    errors,
    textOf,
    LONGEST_DENIAL,
    (left) => `… and ${left} more ${left === 1 ? 'problem' : 'problems'}`,
  ).join('\n');
}

/** Text that names the Routes that would break, and the way to force the change. */
export function breaksText(label: string, breaks: readonly string[], way: string): string {
  return `${label} is in use: ${routesText(breaks)} would reject requests; ${way}`;
}

/** The Routes by name, as many as people read. */
export function routesText(routes: readonly string[]): string {
  const shown = routes.slice(0, 20);
  const names = `${routes.length === 1 ? 'Route' : 'Routes'} ${shown.join(', ')}`;
  return printable(routes.length === shown.length ? names : `${names} and ${routes.length - shown.length} more`);
}

/** A problem on one line. */
export function warningText({ path, message, hint, code }: Problem): string {
  const where = pathText(path);
  return `${where === '' ? '' : `${where}: `}${message} [${code}]${hint === undefined ? '' : ` (${hint})`}`;
}

/** Warnings that the API server passes on as they are: each of them short, and not too many. */
export function shortWarnings(warnings: readonly string[]): string[] {
  const textOf = (text: string): string => shortened(printable(text));
  return cutOff(warnings, textOf, LONGEST_WARNINGS, (left) => `and ${left} more warnings`);
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_WARNING ? text : `${characters.slice(0, LONGEST_WARNING - 1).join('')}…`;
}

/**
 * As many texts as there is room for; what is left out is counted, at least the first stays. Those beyond are not even
 * made: somebody may send what has a hundred thousand faults.
 */
function cutOff<T>(items: readonly T[], textOf: (item: T) => string, room: number, more: (left: number) => string) {
  const kept: string[] = [];
  let length = 64;
  for (const item of items) {
    const text = textOf(item);
    length += text.length + 1;
    if (length > room && kept.length > 0) return [...kept, more(items.length - kept.length)];
    kept.push(text);
  }
  return kept;
}
