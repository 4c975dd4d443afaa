import type { Problem } from '../problem.ts';
import { MOST_NESTING } from './document-text.ts';
import { isJsonObject, type JsonValue } from './json-value.ts';

/** How many values a document may be made of: whoever judges it looks at each of them, and at some of them together. */
export const MOST_VALUES = 20_000;

/** How long its keys and texts may be together: a token that is used often makes much of little. */
export const MOST_CHARACTERS = 2_097_152;

/**
 * What makes a document too much to be looked at, or null. What comes from files was measured as it was read; this is
 * for what others have parsed. It does not recurse itself.
 */
export function boundsProblem(document: JsonValue): Problem | null {
  let level: readonly JsonValue[] = [document];
  let values = 0;
  let characters = 0;
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (values > MOST_VALUES) return problem(`has more than ${MOST_VALUES} values`);
    for (const value of level) characters += lengthOf(value);
    if (characters > MOST_CHARACTERS) return problem(`has more than ${MOST_CHARACTERS} characters`);
    const containers = level.filter((value) => typeof value === 'object' && value !== null);
    if (containers.length > 0 && depth >= MOST_NESTING)
      return problem(`is nested more than ${MOST_NESTING} levels deep`);
    level = containers.flatMap((value) => Object.values<JsonValue>(value));
  }
  return null;
}

/** The characters of a text, or of the keys of an object. */
function lengthOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length;
  return isJsonObject(value) ? Object.keys(value).reduce((sum, key) => sum + key.length, 0) : 0;
}

function problem(message: string): Problem {
  return { code: 'value', severity: 'error', path: [], message };
}
