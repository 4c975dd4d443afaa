import type { JsonObject } from '../../document/json-value.ts';

/** Characters of a piece, which takes about a millisecond to write. */
const PIECE = 65_536;

/**
 * JSON of a page of results, written piece by piece: others get the thread between two pieces, and a client that reads
 * slowly does not fill the memory.
 */
export class PageText implements Iterable<string> {
  private readonly results: readonly unknown[];
  private readonly bodyOf: (at: number) => JsonObject;
  private readonly rest: JsonObject;
  private readonly indent: number;

  /** @param results whose bodies are made one by one @param rest members after the results */
  constructor(
    results: readonly unknown[],
    {
      bodyOf,
      rest,
      isPretty,
    }: { bodyOf(at: number): JsonObject; readonly rest: JsonObject; readonly isPretty: boolean },
  ) {
    this.results = results;
    this.bodyOf = bodyOf;
    this.rest = rest;
    this.indent = isPretty ? 2 : 0;
  }

  *[Symbol.iterator](): Generator<string> {
    const { indent } = this;
    const [line, inner] = indent === 0 ? ['', ''] : ['\n  ', '\n    '];
    let piece = `{${line}"results":${indent === 0 ? '' : ' '}[`;
    for (let at = 0; at < this.results.length; at++) {
      const text = JSON.stringify(this.bodyOf(at), null, indent);
      // Line feeds within texts are escaped, so that all others are of the layout.
      piece += `${at === 0 ? '' : ','}${inner}${indent === 0 ? text : text.replaceAll('\n', inner)}`;
      if (piece.length < PIECE) continue;
      yield piece;
      piece = '';
    }
    const rest = JSON.stringify(this.rest, null, indent).slice(1);
    yield `${piece}${this.results.length === 0 ? '' : line}],${rest}`;
  }

  toString(): string {
    return [...this].join('');
  }
}
