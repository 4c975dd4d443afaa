import type { Path } from '../problem.ts';
import type { Part } from './document-text.ts';

/**
 * The offset of something in a JSON text, or of its nearest parent that is there. It walks the text anew, which is
 * cheaper over all than remembering an offset for everything in texts that mostly have no problem. The text may be
 * broken: the walk then ends where it can go no further.
 */
export function jsonOffset(text: string, path: Path, part: Part): number | undefined {
  let at = skipBlank(text, 0);
  if (at >= text.length) return undefined;
  let keyAt = at;
  for (const step of path) {
    const member = findMember(text, at, step);
    if (member === undefined) return at;
    ({ keyAt, valueAt: at } = member);
  }
  return part === 'key' ? keyAt : at;
}

interface Member {
  readonly keyAt: number;
  readonly valueAt: number;
}

/** The member of the array or object at an offset; of equal keys the last one, whose value counts. */
function findMember(text: string, openAt: number, step: string | number): Member | undefined {
  const isObject = text[openAt] === '{';
  if (isObject !== (typeof step === 'string') || !(isObject || text[openAt] === '[')) return undefined;
  let found: Member | undefined;
  let at = skipBlank(text, openAt + 1);
  for (let index = 0; at < text.length && !isClose(text, at); index++) {
    const keyAt = at;
    const keyEnd = isObject ? skipString(text, at) : at;
    const valueAt = isObject ? skipBlank(text, skipBlank(text, keyEnd) + 1) : at;
    if (isObject ? readKey(text.slice(keyAt, keyEnd)) === step : index === step) found = { keyAt, valueAt };
    const end = skipBlank(text, skipValue(text, valueAt));
    if (text[end] !== ',') break;
    at = skipBlank(text, end + 1);
  }
  return found;
}

function skipValue(text: string, at: number): number {
  let depth = 0;
  do {
    const character = text[at];
    if (character === '{' || character === '[') depth++;
    if (isClose(text, at)) depth--;
    if (character === '"') at = skipString(text, at);
    else if ('{}[],:'.includes(character ?? '')) at++;
    else at = skipScalar(text, at);
    if (depth > 0) at = skipBlank(text, at);
  } while (depth > 0 && at < text.length);
  return at;
}

function isClose(text: string, at: number): boolean {
  return text[at] === '}' || text[at] === ']';
}

function readKey(quoted: string): string | undefined {
  try {
    const key: unknown = JSON.parse(quoted);
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Steps over blanks and comments. */
function skipBlank(text: string, at: number): number {
  for (;;) {
    if (' \t\r\n'.includes(text[at] ?? '?')) at++;
    else if (text.startsWith('//', at)) at = skipLine(text, at);
    else if (text.startsWith('/*', at)) at = endOr(text, text.indexOf('*/', at + 2), 2);
    else return at;
  }
}

function skipLine(text: string, at: number): number {
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++;
  return at;
}

function skipString(text: string, at: number): number {
  for (at++; at < text.length && text[at] !== '"'; at++) if (text[at] === '\\') at++;
  return Math.min(at + 1, text.length);
}

/** Always moves on, so that a walk over a broken text ends. */
function skipScalar(text: string, at: number): number {
  do at++;
  while (at < text.length && !' \t\r\n,]}/"'.includes(text[at]!));
  return at;
}

function endOr(text: string, found: number, length: number): number {
  return found < 0 ? text.length : found + length;
}
