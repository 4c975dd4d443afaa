/** A place in a script; both count from one. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A script that cannot be compiled: a syntax error, or something that is not supported. */
export class ScriptError extends Error {
  readonly place: Place;
  /** True for what Groovy would accept and this implementation does not. */
  readonly isUnsupported: boolean;

  constructor(message: string, place: Place, isUnsupported = false) {
    super(message);
    this.place = place;
    this.isUnsupported = isUnsupported;
  }
}

/** Length of a text in code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
