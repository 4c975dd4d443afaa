import type { JsonValue } from '../document/json-value.ts';
import { ValueProblem } from '../problem.ts';
import { isContainer, itemAt } from './container.ts';

/** Members and indexes from the top of a value to a place in it. */
export type JsonPointer = readonly string[];

const LONGEST = 1_000;
/** Characters that a pointer may hold only percent-encoded, as in the path of a URI. */
const ENCODED_ONLY = /[\p{Cc}\p{Z}"<>\\^`{|}]/u;

/**
 * Reads a JSON pointer of Common REST: the leading slash is optional, a slash at the end is ignored, and members are
 * percent-encoded. `~0` and `~1` of RFC 6901 work too. The empty pointer is the whole value.
 *
 * @throws ValueProblem
 */
export function readJsonPointer(text: string): JsonPointer {
  if (text.length > LONGEST) throw new ValueProblem('value', `a JSON pointer is longer than ${LONGEST} characters`);
  if (ENCODED_ONLY.test(text)) {
    throw new ValueProblem('value', `'${text}' as a JSON pointer has characters that must be percent-encoded`);
  }
  const trimmed = text.replace(/^\//, '').replace(/\/$/, '');
  return trimmed === '' ? [] : trimmed.split('/').map(decoded);
}

function decoded(member: string): string {
  try {
    return unescapedStep(decodeURIComponent(member));
  } catch {
    throw new ValueProblem('value', `'${member}' in a JSON pointer is not percent-encoded UTF-8`);
  }
}

/** A step of a pointer of RFC 6901 without its escapes. */
export function unescapedStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Writes a pointer so that reading it gives the same pointer. */
export function pointerText(pointer: JsonPointer): string {
  const text = pointer.map((step) => `/${encodedStep(step)}`).join('');
  return text === '' || pointer.at(-1) === '' ? `${text}/` : text;
}

/** Encodes parentheses too, which end a word of a filter. */
function encodedStep(step: string): string {
  return encodeURIComponent(step.toWellFormed().replaceAll('~', '~0')).replaceAll('(', '%28').replaceAll(')', '%29');
}

/** Returns the value at a pointer; undefined where there is none. */
export function valueAt(value: JsonValue, pointer: JsonPointer): JsonValue | undefined {
  let now: JsonValue | undefined = value;
  for (const step of pointer) {
    if (!isContainer(now)) return undefined;
    now = itemAt(now, step);
  }
  return now;
}
