import { GMap, List } from '../../values/collections.ts';
import { parseDecimal } from '../../values/decimal.ts';
import type { Budget, Value } from '../../values/java-class.ts';
import { BigInteger, Double } from '../../values/numbers.ts';

/** A text that is no JSON. */
export class JsonSyntaxError extends Error {
  readonly at: number;

  constructor(problem: string, at: number) {
    super(problem);
    this.at = at;
  }
}

/** Characters that begin like a number and are none. */
export class JsonNumberError extends Error {
  readonly at: number;
  /** The character that no number has, if it is known. */
  readonly unexpected: string | null;

  constructor(text: string, at: number, unexpected: string | null = null) {
    super(text);
    this.at = at;
    this.unexpected = unexpected;
  }
}

/** Conversion of numbers and objects, and tolerance of a parser. */
export interface JsonManner {
  /** `1.10` as a BigDecimal, or as a Double. */
  readonly decimals: boolean;
  /** Groovy's usual parser: text after the value, zeros before a number and strings without an end are no problem. */
  readonly isLoose: boolean;
  /** Text after the value is not looked at. */
  readonly ignoresRest?: boolean;
  makeMap(): GMap;
}

const DEEPEST = 400;
const plainText = /[^"\\\u0000-\u001f]*/y;
const numberText = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
/** Digits with all that may follow in a number; the third group is beyond any number. */
const looseNumber = /(?:-|(?=\d))\d*(\.\d*)?([eE][+-]?\d+)?([.eE+-][\d.eE+-]*)?/y;
const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
};

/** Reads JSON under a budget. @throws JsonSyntaxError */
export function readJson(text: string, manner: JsonManner, budget: Budget): Value {
  const reader = new JsonReader(text, manner, budget);
  return reader.read();
}

class JsonReader {
  readonly #text: string;
  readonly #manner: JsonManner;
  readonly #budget: Budget;
  #at = 0;

  constructor(text: string, manner: JsonManner, budget: Budget) {
    this.#text = text;
    this.#manner = manner;
    this.#budget = budget;
  }

  read(): Value {
    this.#budget.spend(this.#text.length / 8);
    const value = this.#value(0);
    if (this.#manner.ignoresRest === true) return value;
    this.#skip();
    if (this.#at < this.#text.length && !this.#manner.isLoose) throw this.#problem('unexpected text after the value');
    return value;
  }

  #skip(): void {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  #problem(problem: string): JsonSyntaxError {
    return new JsonSyntaxError(`${problem} at index ${this.#at}`, this.#at);
  }

  #eat(mark: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #value(depth: number): Value {
    if (depth > DEEPEST) throw this.#problem('too deeply nested');
    this.#skip();
    this.#budget.spend(1);
    const mark = this.#text[this.#at];
    if (mark === '{') return this.#object(depth);
    if (mark === '[') return this.#array(depth);
    if (mark === '"') return this.#string();
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#number();
  }

  #object(depth: number): GMap {
    const map = this.#manner.makeMap();
    this.#at++;
    if (this.#eat('}')) return map;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] !== '"') throw this.#problem('expected a name in quotes');
      const name = this.#string();
      if (!this.#eat(':')) throw this.#problem('expected a colon');
      this.#budget.allocate(64);
      map.put(name, this.#value(depth + 1));
      if (this.#eat('}')) return map;
      if (!this.#eat(',')) throw this.#problem('expected a comma or }');
      if (this.#manner.isLoose && this.#eat('}')) return map;
    }
  }

  #array(depth: number): List {
    const items: Value[] = [];
    this.#at++;
    if (this.#eat(']')) return new List(items);
    for (;;) {
      this.#budget.allocate(8);
      items.push(this.#value(depth + 1));
      if (this.#eat(']')) return new List(items);
      if (!this.#eat(',')) throw this.#problem('expected a comma or ]');
    }
  }

  #string(): string {
    let out = '';
    this.#at++;
    for (;;) {
      plainText.lastIndex = this.#at;
      const run = plainText.exec(this.#text)![0];
      out += run;
      this.#at += run.length;
      const mark = this.#text[this.#at++];
      if (mark === '"') {
        this.#budget.allocate(2 * out.length);
        return out;
      }
      if (this.#manner.isLoose && mark === undefined) return out;
      if (this.#manner.isLoose && mark !== '\\') out += mark;
      else if (mark !== '\\') throw this.#problem('the string does not end');
      else out += this.#escape();
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at++] ?? '';
    if (letter === 'u') {
      const code = this.#text.slice(this.#at, this.#at + 4);
      if (this.#manner.isLoose && code.includes('"')) return '';
      if (!/^[0-9a-fA-F]{4}$/.test(code)) throw this.#problem('bad escape');
      this.#at += 4;
      return String.fromCharCode(Number.parseInt(code, 16));
    }
    const character = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (character === undefined) throw this.#problem('bad escape');
    return character;
  }

  /** Groovy names the first character after a number that is neither a separator nor part of one. */
  #checkLoose(text: string, rest: string | undefined): void {
    const next = this.#text[this.#at];
    const isBad = next !== undefined && !/[\s,\]}]/.test(next);
    const unexpected = rest?.startsWith('.') === true ? '.' : isBad && /\d/.test(text) ? next : null;
    if (unexpected !== null || rest !== undefined || !/\d/.test(text))
      throw new JsonNumberError(text, this.#at, unexpected);
  }

  #number(): Value {
    const shape = this.#manner.isLoose ? looseNumber : numberText;
    shape.lastIndex = this.#at;
    const match = shape.exec(this.#text);
    if (match === null) throw this.#problem('expected a value');
    this.#at += match[0].length;
    this.#budget.spend((match[0].length / 8) ** 2);
    if (this.#manner.isLoose) this.#checkLoose(match[0], match[3]);
    if (match[1] === undefined && match[2] === undefined) {
      const whole = BigInt(match[0]);
      if (BigInt.asIntN(32, whole) === whole) return Number(whole);
      if (this.#manner.isLoose) return BigInt.asIntN(64, whole);
      return BigInt.asIntN(64, whole) === whole ? whole : new BigInteger(whole);
    }
    if (!this.#manner.decimals) return new Double(Number(match[0]));
    const decimal = parseDecimal(match[0].replace(/\.$/, ''));
    if (decimal === null) throw this.#problem('the number is too large');
    return decimal;
  }
}

/** Objects as linked maps and decimals as Doubles: what Jackson makes of a message. */
export const jacksonManner: JsonManner = { decimals: false, isLoose: false, makeMap: () => new GMap() };
