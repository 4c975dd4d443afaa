import type { JsonValue } from './json-value.ts';

/** The properties of one document and, behind them, those of the documents around it. */
export interface PropertySet {
  readonly parent: PropertySet | null;
  /** The document's own, evaluated, in the order written. */
  readonly values: ReadonlyMap<string, JsonValue>;
  /** The document's own as tokens, flattened with dots. */
  readonly tokens: ReadonlyMap<string, string>;
  /** A token of its own or, where it has none of that name, of the nearest parent that has. */
  token(name: string): string | undefined;
  tokenNames(): readonly string[];
  /** Its own and all parents'; of two of one name the nearer. */
  all(): ReadonlyMap<string, JsonValue>;
}
