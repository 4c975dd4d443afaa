import { type ArrayValue, type ByteArray, List } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import type { Char } from '../../values/numbers.ts';
import { cursorOver } from '../collections/cursors.ts';
import { itemsNow, JavaIterator } from '../collections/walk.ts';
import { charsetOf, decodeBytes } from '../encoding/charsets.ts';
import { type Stream, streamOf } from '../functional/stream.ts';
import { onTexts } from './string-methods.ts';

/** Each character folded by itself, as Java compares without regard to case. */
const folded = (text: string): string => text.toUpperCase().toLowerCase();

function regionMatches(
  left: string,
  at: number,
  right: string,
  from: number,
  length: number,
  ignoresCase: boolean,
): boolean {
  if (from < 0 || at < 0 || at > left.length - length || from > right.length - length) return false;
  if (length <= 0) return true;
  const [a, b] = [left.slice(at, at + length), right.slice(from, from + length)];
  return ignoresCase ? folded(a) === folded(b) : a === b;
}

function codes(rt: Runtime, text: string, byPoint: boolean): Stream {
  rt.budget.spend(text.length);
  const units = byPoint
    ? Array.from(text, (character) => character.codePointAt(0)!)
    : Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return streamOf(rt, units, 'int');
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function indented(rt: Runtime, text: string, count: number): string {
  if (text === '') return '';
  const lines = linesOf(text);
  rt.budget.allocate(2 * (text.length + lines.length * Math.abs(count)));
  const shifted = lines.map((line) =>
    count >= 0 ? ' '.repeat(count) + line : line.slice(Math.min(-count, line.length - line.trimStart().length)),
  );
  return `${shifted.join('\n')}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', s: ' ', t: '\t', '\n': '' };

function unescaped(rt: Runtime, text: string): string {
  rt.budget.allocate(text.length * 2);
  return text.replaceAll(/\\([0-3]?[0-7]{1,2}|[\s\S]?)/g, (_, code: string) => {
    if (/^[0-7]+$/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    if (code === '"' || code === "'" || code === '\\') return code;
    return (
      ESCAPES[code] ??
      rt.fail(
        'java.lang.IllegalArgumentException',
        `Invalid escape sequence: \\${code} \\\\u${code.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
      )
    );
  });
}

/** Spaces before a tab stop as a tab. */
function unexpandedLine(rt: Runtime, line: string, stop: number): string {
  if (stop < 1) {
    if (stop === 0) rt.fail('java.lang.UnsupportedOperationException', 'unexpand(0) is not available');
    rt.fail('java.lang.StringIndexOutOfBoundsException', `start 0, end ${stop}, length ${line.length}`);
  }
  let out = '';
  let at = 0;
  for (; at + stop < line.length; at += stop) {
    const part = line.slice(at, at + stop);
    const trimmed = part.trimEnd();
    out += trimmed.length < part.length ? `${trimmed}\t` : part;
  }
  return out + line.slice(at);
}

function expandedLine(rt: Runtime, line: string, stop: number): string {
  rt.budget.allocate(2 * line.length * Math.max(1, stop));
  return line.replaceAll(/([^\t]*)\t/g, (_, run: string) => run + ' '.repeat(stop - (run.length % stop)));
}

function checkIndex(rt: Runtime, text: string, index: number): void {
  if (index < 1 || index > text.length)
    rt.fail('java.lang.StringIndexOutOfBoundsException', `index ${index}, length ${text.length}`);
}

/** Methods that no builder has. */
const ofStrings: Readonly<Record<string, LibraryFunction>> = onTexts({
  'regionMatches(int, String, int, int)': (_rt, text, [at, other, from, length]: [number, string, number, number]) =>
    regionMatches(text, at, other, from, length, false),
  'regionMatches(boolean, int, String, int, int)': (
    _rt,
    text,
    [ignoresCase, at, other, from, length]: [boolean, number, string, number, number],
  ) => regionMatches(text, at, other, from, length, ignoresCase),
  'indent(int)': (rt, text, [count]: [number]) => indented(rt, text, count),
  'translateEscapes()': (rt, text) => unescaped(rt, text),
  'transform(java.util.function.Function)': function* (rt, text: string, [run]: [Value]): Steps {
    return yield* rt.invoke(run, [text]);
  },
});

const moreMethods: Readonly<Record<string, LibraryFunction>> = onTexts({
  'chars()': (rt, text) => codes(rt, text, false),
  'codePoints()': (rt, text) => codes(rt, text, true),
  'codePointCount(int, int)': (rt, text, [from, end]: [number, number]) => {
    if (from < 0 || end > text.length || from > end) rt.fail('java.lang.IndexOutOfBoundsException', null);
    rt.budget.spend(end - from);
    return [...text.slice(from, end)].length;
  },
  'codePointBefore(int)': (rt, text, [index]: [number]) => {
    checkIndex(rt, text, index);
    const before = text.codePointAt(index - 2);
    return before !== undefined && before > 0xffff ? before : text.charCodeAt(index - 1);
  },
  'denormalize()': (_rt, text) => text.replaceAll(/\r\n?/g, '\n'),
  'unexpand()': (rt, text) => unexpanded(rt, text, 8),
  'unexpand(int)': (rt, text, [stop]: [number]) => unexpanded(rt, text, stop),
  'unexpandLine(int)': (rt, text, [stop]: [number]) => unexpandedLine(rt, text, stop),
  'expandLine(int)': (rt, text, [stop]: [number]) => expandedLine(rt, text, stop),
  'iterator()': (rt, text) => new JavaIterator(rt, cursorOver(itemsNow(rt, text))),
  'eachLine(int, Closure)': function* (rt, text: string, [first, closure]: [number, Value]): Steps {
    let last: Value = null;
    for (const [at, line] of linesOf(text).entries()) {
      rt.budget.spend(1);
      last = yield* rt.invoke(closure, rt.arity(closure) === 2 ? [line, at + first] : [line]);
    }
    return last;
  },
});

function unexpanded(rt: Runtime, text: string, stop: number): string {
  return text
    .split('\n')
    .map((line) => unexpandedLine(rt, line, stop))
    .join('\n');
}

/** A `StringJoiner` or a `StringTokenizer`: few scripts use them, so both are small. */
interface Joiner extends Obj {
  readonly separator: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly parts: string[];
  empty: string | null;
}

const JOINER = 'java.util.StringJoiner';

function joinerText({ prefix, parts, separator, suffix, empty }: Joiner): string {
  return parts.length === 0 && empty !== null ? empty : prefix + parts.join(separator) + suffix;
}

function newJoiner(rt: Runtime, separator: Value, prefix: Value, suffix: Value): Joiner & { text(): string } {
  return {
    javaClass: rt.class(JOINER),
    separator: rt.text(separator),
    prefix: rt.text(prefix),
    suffix: rt.text(suffix),
    parts: [],
    empty: null,
    text(): string {
      return joinerText(this);
    },
  };
}

const joinerClass: ClassSpec = {
  name: JOINER,
  constructors: {
    '(CharSequence)': (rt, _self: Value, [separator]: [Value]) => newJoiner(rt, separator, '', ''),
    '(CharSequence, CharSequence, CharSequence)': (rt, _self: Value, args: [Value, Value, Value]) =>
      newJoiner(rt, ...args),
  },
  methods: {
    'add(CharSequence)': (rt, self: Joiner, [part]: [Value]) => {
      const text = rt.text(part);
      rt.budget.allocate(32 + text.length * 2);
      self.parts.push(text);
      return self;
    },
    'setEmptyValue(CharSequence)': (rt, self: Joiner, [text]: [Value]) => {
      self.empty = rt.text(text);
      return self;
    },
    'length()': (_rt, self: Joiner) => joinerText(self).length,
    'toString()': (rt, self: Joiner) => {
      const text = joinerText(self);
      rt.budget.allocate(text.length * 2);
      return text;
    },
  },
};

interface Tokenizer extends Obj {
  readonly tokens: string[];
}

const TOKENIZER = 'java.util.StringTokenizer';

function newTokenizer(rt: Runtime, text: string, separators: string, keeps: boolean): Tokenizer {
  rt.budget.spend(text.length);
  rt.budget.allocate(64 + text.length * 4);
  const tokens: string[] = [];
  let token = '';
  for (const character of text) {
    if (!separators.includes(character)) {
      token += character;
      continue;
    }
    if (token !== '') tokens.push(token);
    if (keeps) tokens.push(character);
    token = '';
  }
  if (token !== '') tokens.push(token);
  return { javaClass: rt.class(TOKENIZER), tokens };
}

const nextToken: LibraryFunction = (rt: Runtime, self: Tokenizer) =>
  self.tokens.shift() ?? rt.fail('java.util.NoSuchElementException', null);
const hasTokens: LibraryFunction = (_rt: Runtime, self: Tokenizer) => self.tokens.length > 0;

const tokenizerClass: ClassSpec = {
  name: TOKENIZER,
  constructors: {
    '(String)': (rt, _self: Value, [text]: [string]) => newTokenizer(rt, text, ' \t\n\r\f', false),
    '(String, String)': (rt, _self: Value, [text, separators]: [string, string]) =>
      newTokenizer(rt, text, separators, false),
    '(String, String, boolean)': (rt, _self: Value, [text, separators, keeps]: [string, string, boolean]) =>
      newTokenizer(rt, text, separators, keeps),
  },
  methods: {
    'hasMoreTokens()': hasTokens,
    'hasMoreElements()': hasTokens,
    'nextToken()': nextToken,
    'nextElement()': nextToken,
    'countTokens()': (_rt, self: Tokenizer) => self.tokens.length,
    'toList()': (_rt, self: Tokenizer) => new List(self.tokens.splice(0)),
  },
};

export const textExtraClasses: readonly ClassSpec[] = [
  { name: 'java.lang.CharSequence', methods: moreMethods },
  { name: 'groovy.lang.GString', methods: ofStrings },
  {
    name: 'java.lang.String',
    methods: ofStrings,
    constructors: {
      '(byte[], int, int, String)': (rt, _self: Value, args: [ByteArray, number, number, string]) => part(rt, ...args),
      '(byte[], int, int, java.nio.charset.Charset)': (rt, _self: Value, args: [ByteArray, number, number, Value]) =>
        part(rt, ...args),
      '(char[], int, int)': (rt, _self: Value, [array, from, count]: [ArrayValue, number, number]) => {
        checkPart(rt, from, count, array.items.length);
        return array.items
          .slice(from, from + count)
          .map((item) => String.fromCharCode((item as Char).code))
          .join('');
      },
      '(int[], int, int)': (rt, _self: Value, [array, from, count]: [ArrayValue, number, number]) => {
        checkPart(rt, from, count, array.items.length);
        return array.items
          .slice(from, from + count)
          .map((item) => String.fromCodePoint(item as number))
          .join('');
      },
      '(StringBuilder)': (rt, _self: Value, [text]: [Value]) => rt.text(text),
    },
  },
  joinerClass,
  tokenizerClass,
];

function checkPart(rt: Runtime, from: number, count: number, length: number): void {
  if (from < 0 || count < 0 || from > length - count)
    rt.fail('java.lang.StringIndexOutOfBoundsException', `offset ${from}, count ${count}, length ${length}`);
}

function part(rt: Runtime, array: ByteArray, from: number, count: number, charset: Value): string {
  checkPart(rt, from, count, array.bytes.length);
  rt.budget.allocate(count * 2);
  return decodeBytes(charsetOf(rt, charset), array.bytes.slice(from, from + count));
}
