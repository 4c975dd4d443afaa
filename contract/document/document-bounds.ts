import type { Problem } from '../problem.ts';
import { MOST_NESTING } from './document-text.ts';
import { isJsonObject, type JsonValue } from './json-value.ts';

/** How many values a document may be made of: whoever judges it looks at each of them, and at some of them together. */
export const MOST_VALUES = 10_000;
/** How long its keys and texts may be together: a token that is used often makes much of little. */
export const MOST_CHARACTERS = 2_097_152;

/**
 * Measures what a document is made of, so that whatever walks it ends in time and within its stack. What comes from files
 * is measured as it is read; this is for what others have parsed, and for what becomes of it. It does not recurse itself.
 */
export class DocumentBounds {
  private readonly mostValues: number;
  private readonly mostCharacters: number;
  private values = 0;
  private characters = 0;

  constructor(mostValues: number = MOST_VALUES, mostCharacters: number = MOST_CHARACTERS) {
    this.mostValues = mostValues;
    this.mostCharacters = mostCharacters;
  }

  /**
   * @param from number of values around this one
   * @returns what makes this and what was added before it too much for one document, or null
   */
  add(value: JsonValue, from = 0): Problem | null {
    let level: readonly JsonValue[] = [value];
    for (let depth = from; level.length > 0; depth++) {
      this.values += level.length;
      for (const one of level) this.characters += lengthOf(one);
      if (this.values > this.mostValues) return problem(`has more than ${this.mostValues} values`);
      if (this.characters > this.mostCharacters) return problem(`has more than ${this.mostCharacters} characters`);
      const containers = level.filter((one) => typeof one === 'object' && one !== null);
      if (containers.length > 0 && depth >= MOST_NESTING) {
        return problem(`is nested more than ${MOST_NESTING} levels deep`);
      }
      level = containers.flatMap((one) => Object.values<JsonValue>(one));
    }
    return null;
  }
}

/** Returns the problem of a document beyond the size limits, or null. */
export function boundsProblem(document: JsonValue): Problem | null {
  return new DocumentBounds().add(document);
}

/** The characters of a text, or of the keys of an object. */
function lengthOf(value: JsonValue): number {
  if (typeof value === 'string') return value.length;
  return isJsonObject(value) ? Object.keys(value).reduce((sum, key) => sum + key.length, 0) : 0;
}

function problem(message: string): Problem {
  return { code: 'value', severity: 'error', path: [], message };
}
