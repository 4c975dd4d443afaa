import type { Path, Place, Problem } from '../problem.ts';
import type { JsonValue } from './json-value.ts';

/** How deep arrays and objects may be nested in a document, so that whatever walks it never exhausts the stack. */
export const MOST_NESTING = 256;

/** How many problems of one text are reported; placing each of them costs a walk over the text. */
export const MOST_PROBLEMS = 50;

/** A problem of the text itself, which knows where it is without a path that leads there. */
export interface PlacedProblem extends Problem {
  readonly place?: Place;
  /** Where in the text at its path it is, in code units from its beginning. */
  readonly offset?: number;
  /** Where the other things are that it is about, such as the first of two keys. */
  readonly otherPlaces?: readonly Place[];
}

/** Which end of `"key": value` is meant. An element of an array has no key, so both are the same there. */
export type Part = 'key' | 'value';

/** A text that has been read. */
export interface DocumentText {
  /** Null when the text could not be read to its end; a problem then says why. */
  readonly value: JsonValue;
  readonly problems: readonly PlacedProblem[];
  /** Where something is, or where its nearest parent is that the text holds; undefined for a text with nothing in it. */
  placeOf(path: Path, part?: Part): Place | undefined;
}
