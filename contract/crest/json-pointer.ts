import type { JsonValue } from '../document/json-value.ts';
import { ValueProblem } from '../problem.ts';

/** Members and indexes from the top of a value to a place in it. */
export type JsonPointer = readonly string[];

const LONGEST = 1_000;

/**
 * Reads a JSON pointer of Common REST: the leading slash is optional, a slash at the end is ignored, and members are
 * percent-encoded. `~0` and `~1` of RFC 6901 work too. The empty pointer is the whole value.
 *
 * @throws ValueProblem
 */
export function readJsonPointer(text: string): JsonPointer {
  if (text.length > LONGEST) throw new ValueProblem('value', `a JSON pointer is longer than ${LONGEST} characters`);
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

/** Returns the value at a pointer; undefined where there is none. */
export function valueAt(value: JsonValue, pointer: JsonPointer): JsonValue | undefined {
  let now: JsonValue | undefined = value;
  for (const step of pointer) {
    if (Array.isArray(now))
      now = /^(?:0|[1-9]\d{0,8})$/.test(step) ? (now as readonly JsonValue[])[Number(step)] : undefined;
    else if (typeof now === 'object' && now !== null) now = member(now as Readonly<Record<string, JsonValue>>, step);
    else return undefined;
  }
  return now;
}

function member(object: Readonly<Record<string, JsonValue>>, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
