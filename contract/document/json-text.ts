import { type Step, ValueProblem } from '../problem.ts';
import { type DocumentText, MOST_NESTING, MOST_PROBLEMS, type PlacedProblem } from './document-text.ts';
import { jsonFault } from './json-fault.ts';
import { JsonPlaces } from './json-place.ts';
import { isExactAsNumber, type JsonValue, setMember } from './json-value.ts';
import { TextLines } from './text-lines.ts';
import { decodeText } from './utf8-text.ts';

/** Extensions of JSON that a text may contain. */
export interface JsonTextOptions {
  /** Whether `//` and C comments are skipped, as configuration files have them; true unless said otherwise. */
  readonly comments?: boolean;
}

/**
 * Reads JSON (RFC 8259). A syntax error ends the reading and leaves null as the value. Keys that are written twice (the
 * last one counts) and numbers that cannot be kept exactly are reported, and the reading goes on.
 */
export function readJsonText(given: string | Uint8Array, options: JsonTextOptions = {}): DocumentText {
  const decoded = decodeText(given);
  if ('problem' in decoded) {
    const { problem } = decoded;
    return { value: null, problems: [problem], placeOf: () => problem.place };
  }
  const { text } = decoded;
  const lines = new TextLines(text);
  const reader = new JsonReader(lines, options.comments !== false);
  const places = new JsonPlaces(text);
  return {
    value: reader.read(),
    problems: reader.problems,
    placeOf(path, part = 'value') {
      const offset = places.offsetOf(path, part);
      return offset === undefined ? undefined : lines.placeAt(offset);
    },
  };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const SLASH = 0x2f;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** The first character that a string may hold as it is. */
const SPACE = 0x20;

/** Characters of a string that are looked at one by one; a search begins slower and is faster from then on. */
const SHORT = 64;
/** The end of a string, an escape, or what no string may hold. */
const SPECIAL = /["\\\p{Cc}]/gu;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
/** What a person takes for one thing that is no string: a misspelt word, a malformed number. */
const WORD = /[\p{L}\p{N}_$+.'#-]+|/uy;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

class JsonReader {
  readonly problems: PlacedProblem[] = [];
  readonly #lines: TextLines;
  readonly #text: string;
  readonly #comments: boolean;
  readonly #path: Step[] = [];
  /** Where the arrays and objects begin that we are in. */
  readonly #opened: number[] = [];
  #at = 0;

  constructor(lines: TextLines, comments: boolean) {
    this.#lines = lines;
    this.#text = lines.text;
    this.#comments = comments;
  }

  read(): JsonValue {
    try {
      this.#skipBlank();
      const value = this.#value();
      this.#skipBlank();
      if (this.#at < this.#text.length) throw this.#unexpected('nothing more');
      return value;
    } catch (error) {
      if (!(error instanceof ValueProblem)) throw error;
      this.#report(error);
      return null;
    }
  }

  #value(): JsonValue {
    switch (this.#text.charCodeAt(this.#at)) {
      case QUOTE:
        return this.#string();
      case OPEN_OBJECT:
        return this.#object();
      case OPEN_ARRAY:
        return this.#array();
      default:
        return this.#scalar();
    }
  }

  #object(): JsonValue {
    const object: Record<string, JsonValue> = {};
    if (this.#opens(CLOSE_OBJECT)) return object;
    const keys = new Map<string, number>();
    for (;;) {
      const keyAt = this.#at;
      if (this.#text.charCodeAt(keyAt) !== QUOTE) throw this.#unexpected('a key in double quotes');
      const key = this.#string();
      this.#path.push(key);
      const firstAt = keys.get(key);
      if (firstAt === undefined) keys.set(key, keyAt);
      else this.#reportTwice(key, keyAt, firstAt);
      this.#skipBlank();
      if (this.#text.charCodeAt(this.#at) !== COLON) throw this.#unexpected("':' after the name of the member");
      this.#at++;
      this.#skipBlank();
      setMember(object, key, this.#value());
      this.#path.pop();
      if (this.#closes(CLOSE_OBJECT)) return object;
    }
  }

  #array(): JsonValue {
    const array: JsonValue[] = [];
    if (this.#opens(CLOSE_ARRAY)) return array;
    for (;;) {
      this.#path.push(array.length);
      array.push(this.#value());
      this.#path.pop();
      if (this.#closes(CLOSE_ARRAY)) return array;
    }
  }

  /** Steps into an array or object; true when it is empty and already behind us. */
  #opens(close: number): boolean {
    if (this.#opened.length === MOST_NESTING) {
      throw new ValueProblem('text', `is nested more than ${MOST_NESTING} levels deep`);
    }
    this.#opened.push(this.#at++);
    this.#skipBlank();
    if (this.#text.charCodeAt(this.#at) !== close) return false;
    this.#at++;
    this.#opened.pop();
    return true;
  }

  /** Steps over what follows an item; true when that was the last one. */
  #closes(close: number): boolean {
    this.#skipBlank();
    const next = this.#text.charCodeAt(this.#at);
    if (next === close) {
      this.#at++;
      this.#opened.pop();
      return true;
    }
    if (next !== COMMA) throw this.#unexpected(`',' or '${String.fromCharCode(close)}'`);
    const commaAt = this.#at++;
    this.#skipBlank();
    if (this.#text.charCodeAt(this.#at) === close) {
      this.#at = commaAt;
      throw new ValueProblem('text', 'has a trailing comma', 'remove the comma after the last item');
    }
    return false;
  }

  #scalar(): JsonValue {
    NUMBER.lastIndex = this.#at;
    const number = NUMBER.exec(this.#text);
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)![0];
    if (number !== null && number[0] === word) {
      return this.#number(word, number[1] === undefined && number[2] === undefined);
    }
    const value = WORDS.get(word);
    if (value === undefined) throw this.#unexpected('a value', word);
    this.#at += word.length;
    return value;
  }

  #number(text: string, isInteger: boolean): JsonValue {
    const value = Number(text);
    const isKept =
      Number.isFinite(value) && (!isInteger || Number.isSafeInteger(value) || isExactAsNumber(BigInt(text)));
    if (!isKept) {
      this.#report(new ValueProblem('value', 'is a number that cannot be kept as it is', 'write it in double quotes'));
    }
    this.#at += text.length;
    return Number.isFinite(value) ? value : null;
  }

  #string(): string {
    const text = this.#text;
    const quoteAt = this.#at;
    let result = '';
    let plainFrom = quoteAt + 1;
    for (let at = plainFrom; ; ) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        result += text.slice(plainFrom, at);
        this.#at = at + 1;
        break;
      }
      if (code === BACKSLASH) {
        result += text.slice(plainFrom, at) + this.#escape(at);
        at += text.charAt(at + 1) === 'u' ? 6 : 2;
        plainFrom = at;
      } else if (code >= SPACE) {
        at = at - plainFrom < SHORT ? at + 1 : plainEnd(text, at + 1);
      } else {
        throw this.#badCharacter(at);
      }
    }
    if (plainFrom > quoteAt + 1 && !result.isWellFormed()) {
      this.#at = quoteAt;
      throw new ValueProblem(
        'text',
        'has an escape for half of a surrogate pair',
        'write both halves or the character',
      );
    }
    return result;
  }

  #escape(at: number): string {
    const letter = this.#text.charAt(at + 1);
    const simple = ESCAPES.get(letter);
    if (simple !== undefined) return simple;
    const digits = this.#text.slice(at + 2, at + 6);
    if (letter === 'u' && /^[0-9a-fA-F]{4}$/.test(digits)) return String.fromCharCode(Number.parseInt(digits, 16));
    if (at + 1 >= this.#text.length) return '';
    this.#at = at;
    if (letter === 'u') throw new ValueProblem('text', 'has \\u without four hexadecimal digits');
    throw new ValueProblem('text', 'has an unknown escape in a string', 'write \\\\ for a backslash');
  }

  #skipBlank(): void {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) this.#at++;
      else if (code === SLASH && /[/*]/.test(text.charAt(this.#at + 1))) this.#skipComment();
      else return;
    }
  }

  #skipComment(): void {
    const text = this.#text;
    if (!this.#comments) throw new ValueProblem('text', 'has a comment, which is not allowed here');
    if (text.charAt(this.#at + 1) === '*') {
      const end = text.indexOf('*/', this.#at + 2);
      if (end < 0) throw new ValueProblem('text', 'has a comment that is not closed');
      this.#at = end + 2;
    } else {
      while (this.#at < text.length && text[this.#at] !== '\n' && text[this.#at] !== '\r') this.#at++;
    }
  }

  #badCharacter(at: number): ValueProblem {
    const isLineEnd = at >= this.#text.length || /[\r\n]/.test(this.#text.charAt(at));
    if (isLineEnd) return new ValueProblem('text', 'has a string that is not closed on its line');
    this.#at = at;
    return new ValueProblem('text', 'has a control character in a string', 'write it as an escape, such as \\t');
  }

  #unexpected(expected: string, word = ''): ValueProblem {
    if (this.#at < this.#text.length) {
      return jsonFault(expected, word || String.fromCodePoint(this.#text.codePointAt(this.#at)!));
    }
    const opened = this.#opened.at(-1);
    if (opened === undefined) return new ValueProblem('text', 'is empty');
    const { line, column } = this.#lines.placeAt(opened);
    return new ValueProblem('text', `ends before what begins in line ${line}, column ${column} is closed`);
  }

  #reportTwice(key: string, keyAt: number, firstAt: number): void {
    if (this.problems.length >= MOST_PROBLEMS) return;
    const first = this.#lines.placeAt(firstAt);
    this.problems.push({
      code: 'duplicate-key',
      severity: 'error',
      path: [...this.#path],
      message: `is written twice: '${key}' is already in line ${first.line}, column ${first.column}`,
      hint: 'remove one of the two',
      place: this.#lines.placeAt(keyAt),
      otherPlaces: [first],
    });
  }

  #report({ code, message, hint }: ValueProblem): void {
    if (this.problems.length >= MOST_PROBLEMS) return;
    const place = this.#lines.placeAt(this.#at);
    this.problems.push({
      code,
      severity: 'error',
      path: [...this.#path],
      message,
      ...(hint === undefined ? {} : { hint }),
      place,
    });
  }
}

/** Where the plain characters of a string end, from here on. */
function plainEnd(text: string, at: number): number {
  SPECIAL.lastIndex = at;
  return SPECIAL.exec(text)?.index ?? text.length;
}
