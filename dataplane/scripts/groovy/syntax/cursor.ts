import type { Budget } from '../values/java-class.ts';
import { type Place, ScriptError } from './place.ts';
import type { Token } from './token.ts';

/** Recursion of the parser stays far from the end of the stack. */
const DEEPEST = 300;

/** Work of one token. */
const UNITS_PER_TOKEN = 20;

/** Walks over tokens. */
export class Cursor {
  readonly tokens: readonly Token[];
  readonly source: string;
  at = 0;
  /** Place where a lambda may have its one parameter without parentheses: a value that is assigned, or an argument. */
  lambdaAt = -1;
  readonly #budget: Budget | null;
  #depth: number;
  #typeVariables: readonly ReadonlyMap<string, string>[] = [];

  constructor(tokens: readonly Token[], source: string, around: Cursor | null = null, budget: Budget | null = null) {
    this.tokens = tokens;
    this.source = source;
    this.#budget = around === null ? budget : around.#budget;
    this.#depth = around?.depth ?? 0;
    this.#typeVariables = around === null ? [] : around.#typeVariables;
  }

  get token(): Token {
    return this.tokens[this.at]!;
  }

  get depth(): number {
    return this.#depth;
  }

  peek(ahead = 1): Token {
    return this.tokens[Math.min(this.at + ahead, this.tokens.length - 1)]!;
  }

  place(): Place {
    return { line: this.token.line, column: this.token.column };
  }

  next(): Token {
    this.#budget?.spend(UNITS_PER_TOKEN);
    const token = this.token;
    if (token.kind !== 'end') this.at++;
    return token;
  }

  /** True for an operator or keyword with this text. */
  is(text: string): boolean {
    const { token } = this;
    return token.text === text && (token.kind === 'operator' || token.kind === 'keyword');
  }

  /** The same, on the line of the token before. */
  isHere(text: string): boolean {
    return this.is(text) && !this.token.isAfterNewline;
  }

  isName(text: string): boolean {
    return this.token.kind === 'name' && this.token.text === text;
  }

  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.at++;
    return true;
  }

  expect(text: string): Token {
    if (!this.is(text)) this.fail(`expected '${text}' but found ${this.found()}`);
    return this.next();
  }

  found(): string {
    const { token } = this;
    if (token.kind === 'end') return 'end of the script';
    return token.kind === 'string' || token.kind === 'gstring' ? 'a string' : `'${token.text}'`;
  }

  fail(message: string, place: Place = this.token): never {
    throw new ScriptError(message, { line: place.line, column: place.column }, this.#isByWord());
  }

  /** `as` and `in` are names at some places of Groovy's grammar, and never here. */
  #isByWord(): boolean {
    return [this.token, this.tokens[this.at - 1]].some(
      (each) => each?.kind === 'keyword' && (each.text === 'as' || each.text === 'in'),
    );
  }

  unsupported(message: string, place: Place = this.token): never {
    throw new ScriptError(message, { line: place.line, column: place.column }, true);
  }

  unexpected(): never {
    this.fail(`unexpected ${this.found()}`);
  }

  /** Runs something that may nest. */
  nested<T>(parse: () => T): T {
    if (++this.#depth > DEEPEST) this.fail('the script is nested too deeply');
    try {
      return parse();
    } finally {
      this.#depth--;
    }
  }

  /** Runs something within which these names stand for the classes that bound them. */
  withTypeVariables<T>(variables: ReadonlyMap<string, string>, parse: () => T): T {
    const around = this.#typeVariables;
    this.#typeVariables = [variables, ...around];
    try {
      return parse();
    } finally {
      this.#typeVariables = around;
    }
  }

  /** The class that a type variable stands for; any other name stands for itself. */
  erased(name: string): string {
    return this.#typeVariables.find((variables) => variables.has(name))?.get(name) ?? name;
  }

  /** Offset in tokens of the bracket that closes the one at `from`. */
  closerOf(from: number): number {
    let depth = 0;
    for (let at = from; at < this.tokens.length; at++) {
      const { kind, text } = this.tokens[at]!;
      if (kind !== 'operator') continue;
      if (text === '(' || text === '[' || text === '{' || text === '?[') depth++;
      else if (text === ')' || text === ']' || text === '}') {
        if (--depth === 0) return at;
      }
    }
    return this.tokens.length - 1;
  }
}
