import { ValueProblem } from '../problem.ts';

/** The flags of Java that can be set inside a pattern. */
export interface Flags {
  readonly ignoreCase: boolean;
  readonly unixLines: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly unicodeCase: boolean;
  readonly comments: boolean;
  readonly unicodeClasses: boolean;
}

export const noFlags: Flags = {
  ignoreCase: false,
  unixLines: false,
  multiline: false,
  dotAll: false,
  unicodeCase: false,
  comments: false,
  unicodeClasses: false,
};

/** The characters of a source under a cursor. What stands between `\Q` and `\E` is marked as having no meaning. */
export class PatternSource {
  flags: Flags = noFlags;
  readonly #text: string;
  readonly #characters: number[] = [];
  readonly #isQuoted: boolean[] = [];
  readonly #offsets: number[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#read();
  }

  /** The next character that has a meaning or stands for itself, as a text; empty at the end and for a quoted one. */
  peek(): string {
    this.#skipComments();
    return this.#meaningAt(this.#at);
  }

  /** Whether there is nothing more. */
  isAtEnd(): boolean {
    this.#skipComments();
    return this.#at >= this.#characters.length;
  }

  /** Takes the next character, whatever it is. */
  take(): number {
    this.#skipComments();
    return this.takeRaw();
  }

  /** Takes the next character even if it is a space in comments mode, as after a backslash. */
  takeRaw(): number {
    const character = this.#characters[this.#at];
    if (character === undefined) throw this.problem('it ends too early');
    this.#at++;
    return character;
  }

  peekRaw(ahead = 0): string {
    return this.#meaningAt(this.#at + ahead);
  }

  /** Takes the text given, if it comes next. */
  eat(text: string): boolean {
    this.#skipComments();
    for (let i = 0; i < text.length; i++) if (this.#meaningAt(this.#at + i) !== text[i]) return false;
    this.#at += text.length;
    return true;
  }

  /** Takes characters as long as they match, and gives them. */
  takeWhile(allowed: RegExp, most = Number.POSITIVE_INFINITY): string {
    let taken = '';
    while (taken.length < most && allowed.test(this.peekRaw()) && this.peekRaw() !== '') {
      taken += this.peekRaw();
      this.#at++;
    }
    return taken;
  }

  isQuoted(): boolean {
    return this.#isQuoted[this.#at] === true;
  }

  get position(): number {
    return this.#at;
  }

  set position(at: number) {
    this.#at = at;
  }

  /** A problem with the source at the cursor, or at a position taken earlier. */
  problem(message: string, hint?: string, position = this.#at): ValueProblem {
    const offset = this.#offsets[position] ?? this.#text.length;
    return new ValueProblem(
      'pattern',
      `the regular expression '${excerpt(this.#text)}' is not usable: ${message} (at character ${offset + 1})`,
      hint,
    );
  }

  #meaningAt(at: number): string {
    const character = this.#characters[at];
    return character === undefined || this.#isQuoted[at] === true ? '' : String.fromCodePoint(character);
  }

  #skipComments(): void {
    if (!this.flags.comments) return;
    for (;;) {
      const next = this.#meaningAt(this.#at);
      if (next === '#') this.#skipLine();
      else if (/^[ \t-\r]$/.test(next)) this.#at++;
      else return;
    }
  }

  #skipLine(): void {
    const isEnd = this.flags.unixLines ? /^\n$/ : /^[\n\r\u0085\u2028\u2029]$/;
    while (this.#at < this.#characters.length && !isEnd.test(this.#meaningAt(this.#at))) this.#at++;
  }

  #read(): void {
    const text = this.#text;
    let isQuoting = false;
    for (let offset = 0; offset < text.length; ) {
      const pair = text.slice(offset, offset + 2);
      if (pair === (isQuoting ? '\\E' : '\\Q')) {
        isQuoting = !isQuoting;
        offset += 2;
      } else {
        // What a backslash escapes is taken along with it, so that `\\Q` is a backslash and a letter.
        offset = this.#add(offset, isQuoting);
        if (pair[0] === '\\' && !isQuoting && offset < text.length) offset = this.#add(offset, false);
      }
    }
  }

  #add(offset: number, isQuoted: boolean): number {
    const character = this.#text.codePointAt(offset)!;
    this.#characters.push(character);
    this.#isQuoted.push(isQuoted);
    this.#offsets.push(offset);
    return offset + (character > 0xffff ? 2 : 1);
  }
}

function excerpt(source: string): string {
  return source.length > 80 ? `${source.slice(0, 80)}…` : source;
}
