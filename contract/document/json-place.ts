import type { Path } from '../problem.ts';
import type { Part } from './document-text.ts';

interface Member {
  readonly keyAt: number;
  readonly valueAt: number;
}

/**
 * Where things are in a JSON text. Nothing is remembered until somebody asks, because most texts have no problem; every
 * array and object on the way to something is then walked once, however often it is asked about. The text may be broken:
 * the walk then ends where it can go no further.
 */
export class JsonPlaces {
  readonly #text: string;
  /** The members of the arrays and objects that were walked, by where these begin. */
  readonly #walked = new Map<number, ReadonlyMap<string | number, Member>>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The offset of something, or of its nearest parent that is there; undefined for a text with nothing in it. */
  offsetOf(path: Path, part: Part): number | undefined {
    let at = skipBlank(this.#text, 0);
    if (at >= this.#text.length) return undefined;
    let keyAt = at;
    for (const step of path) {
      const member = this.#membersAt(at).get(step);
      if (member === undefined) return at;
      ({ keyAt, valueAt: at } = member);
    }
    return part === 'key' ? keyAt : at;
  }

  #membersAt(openAt: number): ReadonlyMap<string | number, Member> {
    const known = this.#walked.get(openAt);
    if (known !== undefined) return known;
    const members = membersOf(this.#text, openAt);
    this.#walked.set(openAt, members);
    return members;
  }
}

/** The members of the array or object at an offset, if there is one; of equal keys the last one, whose value counts. */
function membersOf(text: string, openAt: number): Map<string | number, Member> {
  const members = new Map<string | number, Member>();
  const isObject = text[openAt] === '{';
  if (!isObject && text[openAt] !== '[') return members;
  let at = skipBlank(text, openAt + 1);
  for (let index = 0; at < text.length && !isClose(text, at); index++) {
    const keyAt = at;
    const keyEnd = isObject ? skipString(text, at) : at;
    const valueAt = isObject ? skipBlank(text, skipBlank(text, keyEnd) + 1) : at;
    const step = isObject ? readKey(text.slice(keyAt, keyEnd)) : index;
    if (step !== undefined) members.set(step, { keyAt, valueAt });
    const end = skipBlank(text, skipValue(text, valueAt));
    if (text[end] !== ',') break;
    at = skipBlank(text, end + 1);
  }
  return members;
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
export function skipBlank(text: string, at: number): number {
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

/** Steps over a string in quotes. */
export function skipString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Steps over a word or number. Always moves on, so that a walk over a broken text ends. */
export function skipScalar(text: string, at: number): number {
  do at++;
  while (at < text.length && !' \t\r\n,]}/"'.includes(text[at]!));
  return at;
}

function endOr(text: string, found: number, length: number): number {
  return found < 0 ? text.length : found + length;
}
