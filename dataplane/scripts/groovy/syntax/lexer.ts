import { type Place, ScriptError } from './place.ts';
import { readString } from './string-reader.ts';
import { KEYWORDS, OPERATORS, type StringPart, type Token, type TokenKind } from './token.ts';

const LONGEST_SCRIPT = 1_000_000;
const DEEPEST_STRING = 20;

const operatorsByFirst = new Map<string, string[]>();
for (const operator of OPERATORS)
  operatorsByFirst.set(operator[0]!, [...(operatorsByFirst.get(operator[0]!) ?? []), operator]);

const NAME_START = /[\p{L}_$]/u;
const NAME = /[\p{L}\p{Nd}_$]+/uy;
const NUMBER =
  /0[xX][0-9a-fA-F](?:_*[0-9a-fA-F])*[gGlLiI]?|0[bB][01](?:_*[01])*[gGlLiI]?|(?:\d(?:_*\d)*(?:\.\d(?:_*\d)*)?|\.\d(?:_*\d)*)(?:[eE][+-]?\d+)?[gGlLiIfFdD]?/y;

/** Takes a script apart into tokens. */
export function tokensOf(source: string): Token[] {
  if (source.length > LONGEST_SCRIPT)
    throw new ScriptError('the script is longer than 1,000,000 characters', { line: 1, column: 1 });
  const lexer = new Lexer(source);
  if (source.startsWith('#!')) lexer.skipLine();
  const tokens = lexer.readUntil(null);
  return tokens;
}

/** Reads tokens; strings with values in braces call it again for what is within. */
export class Lexer {
  readonly source: string;
  at = 0;
  #line = 1;
  #lineStart = 0;
  #counted = 0;
  #depth = 0;

  constructor(source: string) {
    this.source = source;
  }

  /** The line and column of an offset that is not before the last one asked for. */
  placeAt(offset: number): Place {
    while (this.#counted < offset) {
      if (this.source[this.#counted++] === '\n') {
        this.#line++;
        this.#lineStart = this.#counted;
      }
    }
    return { line: this.#line, column: offset - this.#lineStart + 1 };
  }

  fail(message: string, offset: number): never {
    throw new ScriptError(message, this.placeAt(Math.max(offset, this.#counted)));
  }

  skipLine(): void {
    const end = this.source.indexOf('\n', this.at);
    this.at = end < 0 ? this.source.length : end;
  }

  /** Reads tokens up to the end, or up to the brace that closes a value in a string. */
  readUntil(closer: '}' | null): Token[] {
    if (++this.#depth > DEEPEST_STRING) this.fail('strings are nested too deeply', this.at);
    const tokens: Token[] = [];
    const brackets: string[] = [];
    for (;;) {
      const { hasNewline, hasSpace } = this.#skipBlank(brackets.at(-1));
      const start = this.at;
      const make = (kind: TokenKind, text: string, parts?: readonly StringPart[]): void => {
        tokens.push({
          kind,
          text,
          start,
          end: this.at,
          isAfterNewline: hasNewline,
          isAfterSpace: hasSpace || hasNewline,
          ...place,
          ...(parts === undefined ? {} : { parts }),
        });
      };
      const place = this.placeAt(start);
      const char = this.source[start];
      if (char === undefined) {
        if (closer !== null) this.fail("a value in a string has no closing '}'", start);
        if (brackets.length > 0) this.fail(`'${brackets.at(-1)}' is not closed`, start);
        make('end', '');
        return tokens;
      }
      if (char === '}' && closer !== null && brackets.length === 0) {
        make('end', '');
        this.#depth--;
        return tokens;
      }
      if (NAME_START.test(char)) {
        if (char === '$' && this.source[start + 1] === '/') {
          const { text, parts } = readString(this);
          make(parts === undefined ? 'string' : 'gstring', text, parts);
          continue;
        }
        NAME.lastIndex = start;
        const text = NAME.exec(this.source)![0];
        this.at = start + text.length;
        make(KEYWORDS.has(text) ? 'keyword' : 'name', text);
        continue;
      }
      if (
        /\d/.test(char) ||
        (char === '.' && /\d/.test(this.source[start + 1] ?? '') && !isAfterOperand(tokens.at(-1)))
      ) {
        NUMBER.lastIndex = start;
        const text = NUMBER.exec(this.source)![0];
        this.at = start + text.length;
        if (/[\p{L}\p{Nd}_]/u.test(this.source[this.at] ?? ''))
          throw new ScriptError(`'${text}${this.source[this.at]}' is not a number`, this.placeAt(start), true);
        make('number', text);
        continue;
      }
      if (
        char === "'" ||
        char === '"' ||
        (char === '/' && startsSlashy(tokens.at(-1), this.source, start, hasSpace || hasNewline))
      ) {
        const { text, parts } = readString(this);
        make(parts === undefined ? 'string' : 'gstring', text, parts);
        continue;
      }
      const operator = operatorsByFirst.get(char)?.find((each) => this.source.startsWith(each, start));
      if (operator === undefined) this.fail(`unexpected character '${char}'`, start);
      this.at = start + operator.length;
      if (operator === '(' || operator === '[' || operator === '{') brackets.push(operator);
      else if (operator === '?[') brackets.push('[');
      else if (operator === ')' || operator === ']' || operator === '}') {
        const opened = brackets.pop();
        if (opened !== { ')': '(', ']': '[', '}': '{' }[operator]) this.fail(`unexpected '${operator}'`, start);
      }
      make('operator', operator);
    }
  }

  /** Skips blanks and comments. Within parentheses and brackets the end of a line means nothing. */
  #skipBlank(bracket: string | undefined): { hasNewline: boolean; hasSpace: boolean } {
    const { source } = this;
    const from = this.at;
    let hasNewline = false;
    for (;;) {
      const char = source[this.at];
      if (char === '\n') {
        hasNewline = true;
        this.at++;
      } else if (char === ' ' || char === '\t' || char === '\r' || char === '\f' || char === '\ufeff') this.at++;
      else if (char === '\\' && /^\\\r?\n/.test(source.slice(this.at, this.at + 3)))
        this.at = source.indexOf('\n', this.at) + 1;
      else if (char === '/' && source[this.at + 1] === '/') this.skipLine();
      else if (char === '/' && source[this.at + 1] === '*') {
        const end = source.indexOf('*/', this.at + 2);
        if (end < 0) this.fail('a comment is not closed', this.at);
        if (source.slice(this.at, end).includes('\n')) hasNewline = true;
        this.at = end + 2;
      } else break;
    }
    return { hasNewline: hasNewline && bracket !== '(' && bracket !== '[', hasSpace: this.at > from };
  }
}

/** A dot after an operand belongs to a path. */
function isAfterOperand(before: Token | undefined): boolean {
  if (before === undefined) return false;
  return before.kind !== 'operator' || [')', ']', '}', '.', '?.', '..'].includes(before.text);
}

/** A slash divides after the end of an operand, and opens a string elsewhere; `split /,/` has a space only before it. */
function startsSlashy(before: Token | undefined, source: string, at: number, isAfterSpace: boolean): boolean {
  if (before === undefined) return true;
  if (before.kind === 'operator')
    return (
      before.text !== ')' && before.text !== ']' && before.text !== '}' && before.text !== '++' && before.text !== '--'
    );
  if (before.kind === 'keyword') return !['this', 'super', 'null', 'true', 'false'].includes(before.text);
  if (before.kind !== 'name') return false;
  const next = source[at + 1];
  return (
    isAfterSpace &&
    next !== ' ' &&
    next !== '=' &&
    source
      .slice(at + 1)
      .split('\n', 1)[0]!
      .includes('/')
  );
}
