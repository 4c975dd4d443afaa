import { didYouMean } from '../did-you-mean.ts';
import { type Path, type Problem, ValueProblem } from '../problem.ts';
import { isJsonObject, type JsonValue, mapMembers } from './json-value.ts';

/** How deep a token may hold tokens in its name or default. */
export const MOST_TOKEN_NESTING = 16;
/** How long one text may become by substitution, in UTF-16 code units. */
export const LONGEST_SUBSTITUTED = 1_048_576;

/** Gives the value of a token, or undefined when there is none. @throws ValueProblem when the document may not ask. */
export type ResolveToken = (name: string) => string | undefined;

const OPEN = '&{';
const ESCAPED = '\\&{';

/**
 * Replaces `&{name}` and `&{name|default}` in every text of a document. Names and defaults may hold tokens, and defaults
 * braces that match; `\&{` stands for the two characters themselves. What a token stands for is taken as it is and not
 * searched for tokens again, and the result is always a text. Keys are left alone, which a warning says where one looks
 * as if it held a token. A value without tokens comes back as the same value.
 */
export function substituteTokens(
  value: JsonValue,
  resolve: ResolveToken,
  report: (problem: Problem) => void,
  path: Path = [],
  knownNames: () => readonly string[] = () => [],
): JsonValue {
  return substitute(value, path);

  function substitute(node: JsonValue, at: Path): JsonValue {
    if (typeof node === 'string') return node.includes(OPEN) ? substituteText(node, at) : node;
    if (isJsonObject(node)) return substituteMembers(node, at);
    if (typeof node !== 'object' || node === null) return node;
    const items = node.map((item, index) => substitute(item, [...at, index]));
    return items.every((item, index) => item === node[index]) ? node : items;
  }

  function substituteMembers(object: Readonly<Record<string, JsonValue>>, at: Path): JsonValue {
    return mapMembers(object, (member, key) => {
      if (key.includes(OPEN)) warnOfKey([...at, key]);
      const mayChange = typeof member === 'string' ? member.includes(OPEN) : typeof member === 'object';
      return mayChange ? substitute(member, [...at, key]) : member;
    });
  }

  function substituteText(text: string, at: Path): string {
    try {
      return new TokenReader(text, resolve, knownNames).read();
    } catch (error) {
      if (!(error instanceof ValueProblem)) throw error;
      const { code, message, hint } = error;
      report({ code, severity: 'error', path: at, message, ...(hint === undefined ? {} : { hint }) });
      return text;
    }
  }

  function warnOfKey(at: Path): void {
    const message = 'is a key, and tokens in keys are not substituted';
    report({ code: 'no-effect', severity: 'warning', path: at, message });
  }
}

class TokenReader {
  readonly #text: string;
  readonly #resolve: ResolveToken;
  readonly #knownNames: () => readonly string[];
  #at = 0;
  #length = 0;

  constructor(text: string, resolve: ResolveToken, knownNames: () => readonly string[]) {
    this.#text = text;
    this.#resolve = resolve;
    this.#knownNames = knownNames;
  }

  read(): string {
    return this.#until('', 0, true);
  }

  /**
   * The text up to one of the given ends, with its tokens replaced. Where nobody needs the values, because the token
   * that holds this default has one itself, they are read over and not asked for.
   */
  #until(ends: string, nesting: number, isWanted: boolean): string {
    const parts: string[] = [];
    let braces = 0;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]!;
      if (braces === 0 && ends.includes(character)) break;
      if (this.#text.startsWith(ESCAPED, this.#at)) {
        this.#at += ESCAPED.length;
        parts.push(this.#counted(OPEN));
        if (ends !== '') braces++;
      } else if (this.#text.startsWith(OPEN, this.#at)) {
        parts.push(this.#token(nesting + 1, isWanted));
      } else {
        if (ends !== '') braces += character === '{' ? 1 : character === '}' ? -1 : 0;
        this.#at++;
        parts.push(this.#counted(character));
      }
    }
    return parts.join('');
  }

  #token(nesting: number, isWanted: boolean): string {
    const start = this.#at;
    if (nesting > MOST_TOKEN_NESTING) {
      throw new ValueProblem('token', `has tokens nested more than ${MOST_TOKEN_NESTING} deep`);
    }
    this.#at += OPEN.length;
    const name = this.#until('|}', nesting, isWanted);
    const written = this.#text.slice(start + OPEN.length, this.#at);
    if (this.#at >= this.#text.length) throw notClosed(this.#text.slice(start));
    const hasDefault = this.#text[this.#at] === '|';
    const value = isWanted ? this.#ask(name) : '';
    if (hasDefault) this.#at++;
    const byDefault = hasDefault ? this.#until('}', nesting, isWanted && value === undefined) : undefined;
    if (this.#at >= this.#text.length) throw notClosed(this.#text.slice(start));
    this.#at++;
    const result = value ?? byDefault;
    if (result === undefined) throw this.#unresolved(written);
    return this.#counted(result);
  }

  #ask(name: string): string | undefined {
    if (name.trim() === '') throw new ValueProblem('token', 'has a token without a name');
    return this.#resolve(name);
  }

  /** Names the token as it is written: a name made of other tokens would show what they stand for. */
  #unresolved(written: string): ValueProblem {
    const meant = didYouMean(written, this.#knownNames());
    return new ValueProblem(
      'token',
      `has the token &{${written}}, which has no value and no default`,
      meant === undefined ? valueHint(written) : `did you mean '${meant}'?`,
    );
  }

  /** Counts every piece, also those that end in another token, so that no text passes the limit on the way. */
  #counted(piece: string): string {
    this.#length += piece.length;
    if (this.#length > LONGEST_SUBSTITUTED) {
      throw new ValueProblem('token', `becomes longer than ${LONGEST_SUBSTITUTED} characters by its tokens`);
    }
    return piece;
  }
}

/** Where a value can come from; a name with tokens in it has no one spelling. */
function valueHint(written: string): string {
  const byDefault = `give it a default: &{${written}|…}`;
  if (!/^[\w.-]+$/.test(written)) return byDefault;
  return `give it a value with -D${written}=… or the variable ${environmentName(written)}, or ${byDefault.slice('give it '.length)}`;
}

/** The environment variable that gives a token its value. */
export function environmentName(token: string): string {
  return token.toUpperCase().replaceAll('.', '_');
}

function notClosed(text: string): ValueProblem {
  const shown = text.length > 30 ? `${text.slice(0, 30)}…` : text;
  return new ValueProblem('token', `has a token that is not closed: ${shown}`, `write \\${OPEN} for the characters`);
}
