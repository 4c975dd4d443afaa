import { ArrayValue, List } from '../../values/collections.ts';
import { PRIMITIVES } from '../../values/core-classes.ts';
import type { LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { chargeCharacters, chargeItems, chargeText, SHORT_TEXT } from '../../values/meter.ts';
import { Char } from '../../values/numbers.ts';
import {
  bordersOf,
  indexIn,
  isEmptyRange,
  isRange,
  normalIndex,
  type RangeEnds,
} from '../collections/range-borders.ts';
import { itemsNow } from '../collections/walk.ts';
import { countOf } from '../numeric.ts';
import { languageOf } from './locales.ts';

/** A function over the text of a String, a GString or a builder. */
export type TextFunction = (rt: Runtime, text: string, args: never) => ReturnType<LibraryFunction>;

/** Gives a function the text of what it is called on. */
export function onText(code: TextFunction): LibraryFunction {
  return (rt: Runtime, self: Value, args: never) => code(rt, typeof self === 'string' ? self : rt.text(self), args);
}

export function onTexts(functions: Readonly<Record<string, TextFunction>>): Record<string, LibraryFunction> {
  return Object.fromEntries(Object.entries(functions).map(([signature, code]) => [signature, onText(code)]));
}

export function strings(rt: Runtime, texts: readonly string[]): ArrayValue {
  rt.budget.allocate(texts.length * 16);
  return new ArrayValue(rt.class('java.lang.String'), [...texts]);
}

/** Text of the needed length, charged before it is made. */
export function repeated(rt: Runtime, text: string, count: number): string {
  rt.budget.allocate(text.length * count * 2);
  rt.budget.spend(Math.ceil((text.length * count) / 64));
  return text.repeat(count);
}

export function substring(rt: Runtime, text: string, from: number, end: number): string {
  if (from < 0 || end > text.length || from > end) {
    rt.fail('java.lang.StringIndexOutOfBoundsException', `begin ${from}, end ${end}, length ${text.length}`);
  }
  return text.slice(from, end);
}

/** A text that is in no other: it is longer than any. */
const NOWHERE = '\0'.repeat(64);

/** A character parameter that may be a Character, a String of one, or a code. */
function searchText(rt: Runtime, value: Value): string {
  if (typeof value === 'number') return value < 0 || value > 0x10ffff ? NOWHERE : String.fromCodePoint(value);
  return rt.text(value);
}

function padding(rt: Runtime, count: number, pad: string): string {
  if (count <= 0) return '';
  if (pad === '') return rt.fail('java.lang.ArithmeticException', '/ by zero');
  return repeated(rt, pad, Math.ceil(count / pad.length)).slice(0, count);
}

function center(rt: Runtime, text: string, width: number, pad: string): string {
  const count = width - text.length;
  if (count <= 0) return text;
  const left = Math.floor(count / 2);
  return padding(rt, left, pad) + text + padding(rt, count - left, pad);
}

function characterAt(rt: Runtime, text: string, index: number): string {
  const at = normalIndex(rt, index, text.length);
  return substring(rt, text, at, at + 1);
}

function part(rt: Runtime, text: string, range: RangeEnds): string {
  if (isEmptyRange(range)) return '';
  const { from, end, isReversed } = bordersOf(rt, range, text.length);
  const found = substring(rt, text, from, end);
  return isReversed ? [...found].reverse().join('') : found;
}

function parts(rt: Runtime, text: string, indexes: Value): string {
  return itemsNow(rt, indexes)
    .map((index) => (isRange(index) ? part(rt, text, index) : characterAt(rt, text, indexIn(rt, index))))
    .join('');
}

const takeText = (text: string, count: number): string => text.slice(0, Math.max(0, count));
const dropText = (text: string, count: number): string => text.slice(Math.max(0, count));

function without(rt: Runtime, text: string, less: Value): string {
  const gone = rt.text(less);
  const at = text.indexOf(gone);
  return at < 0 ? text : text.slice(0, at) + text.slice(at + gone.length);
}

/** The following or preceding character in the place of the last one, as `++` and `--` take it. */
function stepped(text: string, by: 1 | -1): string {
  if (text === '') return String.fromCharCode(by === 1 ? 0 : 0xffff);
  return text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + by);
}

function tokens(rt: Runtime, text: string, separators: string): List {
  rt.budget.spend(text.length);
  const found: string[] = [];
  let token = '';
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && !separators.includes(text[at]!)) token += text[at];
    else if (token !== '') {
      found.push(token);
      token = '';
    }
  }
  rt.budget.allocate(text.length * 2 + found.length * 16);
  return new List(found);
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Charges a text that shares nothing with the one it was made of. */
function newText(text: string): string {
  if (text.length > SHORT_TEXT) chargeText(text.length);
  return text;
}

function normalized(text: string): string {
  if (!text.includes('\r')) return text;
  chargeCharacters(text.length);
  return newText(text.replaceAll(/\r\n?/g, '\n'));
}

/** Bytes of a line, which may be empty. */
export const LINE_BYTES = 16;

function stripIndent(text: string, width: number): string {
  chargeItems(text.length, LINE_BYTES);
  return text
    .split('\n')
    .map((line) => line.slice(Math.min(width, line.length - line.trimStart().length)))
    .join('\n');
}

function commonIndent(text: string): number {
  const widths = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  return widths.length === 0 ? 0 : widths.reduce((least, width) => Math.min(least, width));
}

function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const difference = left.charCodeAt(at) - right.charCodeAt(at);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Java folds each character by itself. */
function folded(text: string): string {
  return text.toUpperCase().toLowerCase();
}

/** Java trims everything up to the space; a pattern would take quadratic time on inner runs of spaces. */
function javaTrim(text: string): string {
  let from = 0;
  let end = text.length;
  while (from < end && text.charCodeAt(from) <= 0x20) from++;
  while (end > from && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(from, end);
}

function occurrences(text: string, part: string): number {
  if (part === '') return text.length + 1;
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** Methods of texts that need no pattern. */
export const stringMethods: Readonly<Record<string, LibraryFunction>> = onTexts({
  'length()': (_rt, text) => text.length,
  'size()': (_rt, text) => text.length,
  'isEmpty()': (_rt, text) => text === '',
  'isBlank()': (_rt, text) => text.trim() === '',
  'isAllWhitespace()': (_rt, text) => text.trim() === '',
  'asBoolean()': (_rt, text) => text !== '',
  'trim()': (_rt, text) => javaTrim(text),
  'strip()': (_rt, text) => text.trim(),
  'stripLeading()': (_rt, text) => text.trimStart(),
  'stripTrailing()': (_rt, text) => text.trimEnd(),
  'clone()': (rt) => rt.fail('java.lang.CloneNotSupportedException', 'java.lang.String'),
  'toLowerCase()': (_rt, text) => newText(text.toLowerCase()),
  'toLowerCase(Locale)': (rt, text, [locale]: [Value]) => newText(text.toLocaleLowerCase(languageOf(rt, locale))),
  'toUpperCase()': (_rt, text) => newText(text.toUpperCase()),
  'toUpperCase(Locale)': (rt, text, [locale]: [Value]) => newText(text.toLocaleUpperCase(languageOf(rt, locale))),
  'capitalize()': (_rt, text) => text.slice(0, 1).toUpperCase() + text.slice(1),
  'uncapitalize()': (_rt, text) => text.slice(0, 1).toLowerCase() + text.slice(1),
  'reverse()': (rt, text) => {
    rt.budget.allocate(16 * text.length);
    return [...text].reverse().join('');
  },
  'charAt(int)': (rt, text, [index]: [number]) => {
    if (index < 0 || index >= text.length) {
      rt.fail('java.lang.StringIndexOutOfBoundsException', `String index out of range: ${index}`);
    }
    return new Char(text.charCodeAt(index));
  },
  'codePointAt(int)': (rt, text, [index]: [number]) =>
    text.codePointAt(index) ??
    rt.fail('java.lang.StringIndexOutOfBoundsException', `String index out of range: ${index}`),
  'getAt(int)': (rt, text, [index]: [number]) => characterAt(rt, text, index),
  'getAt(Range)': (rt, text, [range]: [RangeEnds]) => part(rt, text, range),
  'getAt(Collection)': (rt, text, [indexes]: [Value]) => parts(rt, text, indexes),
  'substring(int)': (rt, text, [from]: [number]) => substring(rt, text, from, text.length),
  'substring(int, int)': (rt, text, [from, end]: [number, number]) => substring(rt, text, from, end),
  'subSequence(int, int)': (rt, text, [from, end]: [number, number]) => substring(rt, text, from, end),
  'contains(CharSequence)': (rt, text, [other]: [Value]) => text.includes(rt.text(needed(rt, other))),
  'containsIgnoreCase(CharSequence)': (rt, text, [other]: [Value]) => folded(text).includes(folded(rt.text(other))),
  'startsWith(String)': (rt, text, [other]: [Value]) => text.startsWith(rt.text(needed(rt, other))),
  'startsWith(String, int)': (rt, text, [other, at]: [Value, number]) => {
    if (at < 0 || at > text.length) return false;
    return text.startsWith(rt.text(needed(rt, other)), at);
  },
  'endsWith(String)': (rt, text, [other]: [Value]) => text.endsWith(rt.text(needed(rt, other))),
  'startsWithIgnoreCase(CharSequence)': (rt, text, [other]: [Value]) => folded(text).startsWith(folded(rt.text(other))),
  'endsWithIgnoreCase(CharSequence)': (rt, text, [other]: [Value]) => folded(text).endsWith(folded(rt.text(other))),
  'startsWithAny(CharSequence...)': (rt, text, [others]: [ArrayValue]) =>
    others.items.some((other) => text.startsWith(rt.text(other))),
  'endsWithAny(CharSequence...)': (rt, text, [others]: [ArrayValue]) =>
    others.items.some((other) => text.endsWith(rt.text(other))),
  'indexOf(String)': (rt, text, [other]: [Value]) => text.indexOf(searchText(rt, needed(rt, other))),
  'indexOf(int)': (rt, text, [code]: [number]) => text.indexOf(searchText(rt, code)),
  'indexOf(String, int)': (rt, text, [other, from]: [Value, number]) =>
    indexFrom(text, searchText(rt, needed(rt, other)), from),
  'indexOf(int, int)': (rt, text, [code, from]: [number, number]) => indexFrom(text, searchText(rt, code), from),
  'lastIndexOf(String)': (rt, text, [other]: [Value]) => text.lastIndexOf(searchText(rt, needed(rt, other))),
  'lastIndexOf(int)': (rt, text, [code]: [number]) => text.lastIndexOf(searchText(rt, code)),
  'lastIndexOf(String, int)': (rt, text, [other, from]: [Value, number]) =>
    needed(rt, other) !== null && from < 0 ? -1 : text.lastIndexOf(searchText(rt, needed(rt, other)), from),
  'equalsIgnoreCase(String)': (rt, text, [other]: [Value]) => other !== null && folded(text) === folded(rt.text(other)),
  'contentEquals(CharSequence)': (rt, text, [other]: [Value]) => text === rt.text(needed(rt, other)),
  'compareTo(String)': (rt, text, [other]: [Value]) => compareTexts(text, rt.text(needed(rt, other))),
  'compareToIgnoreCase(String)': (rt, text, [other]: [Value]) =>
    compareTexts(folded(text), folded(rt.text(needed(rt, other)))),
  'concat(String)': (rt, text, [other]: [Value]) => {
    rt.budget.allocate(2 * text.length);
    return text + rt.text(needed(rt, other));
  },
  'replace(CharSequence, CharSequence)': (rt, text, [from, to]: [Value, Value]) => {
    const [gone, put] = [rt.text(needed(rt, from)), rt.text(needed(rt, to))];
    const times = occurrences(text, gone);
    rt.budget.spend(8 * times);
    rt.budget.allocate(2 * (text.length + times * Math.max(0, put.length - gone.length)));
    return text.replaceAll(gone, () => put);
  },
  'replace(char, char)': (rt, text, [from, to]: [Char, Char]) => {
    rt.budget.allocate(2 * text.length);
    return text.replaceAll(String.fromCharCode(from.code), () => String.fromCharCode(to.code));
  },
  'multiply(Number)': (rt, text, [count]: [Value]) => {
    const times = countOf(count);
    if (times < 0) {
      rt.fail(
        'java.lang.IllegalArgumentException',
        `multiply() should be called with a number of 0 or greater not: ${times}`,
      );
    }
    return repeated(rt, text, times);
  },
  'repeat(int)': (rt, text, [count]: [number]) => {
    if (count < 0) rt.fail('java.lang.IllegalArgumentException', `count is negative: ${count}`);
    return repeated(rt, text, count);
  },
  'plus(Object)': (rt, text, [more]: [Value]) => rt.operator('plus', text, more),
  'minus(Object)': (rt, text, [less]: [Value]) => without(rt, text, less),
  'next()': (_rt, text) => stepped(text, 1),
  'previous()': (rt, text) =>
    text === '' ? rt.fail('java.lang.IllegalArgumentException', 'the string is empty') : stepped(text, -1),
  'padLeft(Number)': (rt, text, [width]: [Value]) => padding(rt, countOf(width) - text.length, ' ') + text,
  'padLeft(Number, CharSequence)': (rt, text, [width, pad]: [Value, Value]) =>
    padding(rt, countOf(width) - text.length, rt.text(needed(rt, pad))) + text,
  'padRight(Number)': (rt, text, [width]: [Value]) => text + padding(rt, countOf(width) - text.length, ' '),
  'padRight(Number, CharSequence)': (rt, text, [width, pad]: [Value, Value]) =>
    text + padding(rt, countOf(width) - text.length, rt.text(needed(rt, pad))),
  'center(Number)': (rt, text, [width]: [Value]) => center(rt, text, countOf(width), ' '),
  'center(Number, CharSequence)': (rt, text, [width, pad]: [Value, Value]) =>
    countOf(width) <= text.length ? text : center(rt, text, countOf(width), rt.text(needed(rt, pad))),
  'take(int)': (_rt, text, [count]: [number]) => takeText(text, count),
  'takeRight(int)': (_rt, text, [count]: [number]) => (count <= 0 ? '' : text.slice(-count)),
  'drop(int)': (_rt, text, [count]: [number]) => dropText(text, count),
  'dropRight(int)': (_rt, text, [count]: [number]) =>
    count <= 0 ? text : text.slice(0, Math.max(0, text.length - count)),
  'takeBefore(CharSequence)': (rt, text, [mark]: [Value]) => {
    const at = text.indexOf(rt.text(mark));
    return at < 0 || rt.text(mark) === '' ? '' : text.slice(0, at);
  },
  'takeAfter(CharSequence)': (rt, text, [mark]: [Value]) => {
    const at = text.indexOf(rt.text(mark));
    return at < 0 || rt.text(mark) === '' ? '' : text.slice(at + rt.text(mark).length);
  },
  'takeBetween(CharSequence)': (rt, text, [mark]: [Value]) => between(text, rt.text(mark), rt.text(mark)),
  'takeBetween(CharSequence, CharSequence)': (rt, text, [from, to]: [Value, Value]) =>
    between(text, rt.text(from), rt.text(to)),
  'count(CharSequence)': (rt, text, [other]: [Value]) => {
    rt.budget.spend(text.length / 8);
    const wanted = rt.text(needed(rt, other));
    if (wanted === '') return text.length + 1;
    let count = 0;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) count++;
    return count;
  },
  'tokenize()': (rt, text) => tokens(rt, text, ' \t\n\r\f'),
  'tokenize(CharSequence)': (rt, text, [separators]: [Value]) => tokens(rt, text, rt.text(needed(rt, separators))),
  'tokenize(Character)': (rt, text, [separator]: [Value]) => tokens(rt, text, rt.text(separator)),
  'split()': (rt, text) => strings(rt, tokens(rt, text, ' \t\n\r\f').items as string[]),
  'readLines()': (rt, text) => {
    rt.budget.allocate(text.length * 2);
    return new List(linesOf(text));
  },
  'toCharArray()': (rt, text) => characters(rt, text),
  'getChars()': (rt, text) => characters(rt, text),
  'toList()': (rt, text) => {
    rt.budget.allocate(text.length * 8);
    return new List([...itemsNow(rt, text)]);
  },
  'toSet()': (rt, text) => rt.now(rt.call(new List([...itemsNow(rt, text)]), 'toSet', [])),
  'intern()': (_rt, text) => text,
  'toCharacter()': (rt, text) =>
    text === ''
      ? rt.fail('java.lang.StringIndexOutOfBoundsException', 'String index out of range: 0')
      : new Char(text.charCodeAt(0)),
  'normalize()': (_rt, text) => normalized(text),
  'stripIndent()': (_rt, text) => stripIndent(text, commonIndent(text)),
  'stripIndent(int)': (_rt, text, [width]: [number]) => {
    if (width <= 0) return text;
    chargeItems(text.length, LINE_BYTES);
    return text
      .split('\n')
      .map((line) => line.slice(width))
      .join('\n');
  },
  'expand()': (rt, text) => expanded(rt, text, 8),
  'expand(int)': (rt, text, [stop]: [number]) => expanded(rt, text, stop),
  'stripMargin()': (_rt, text) => stripMargin(text, '|'),
  'stripMargin(CharSequence)': (rt, text, [mark]: [Value]) => stripMargin(text, rt.text(needed(rt, mark))),
  'isCase(Object)': (rt, text, [value]: [Value]) => value !== null && text === rt.text(value),
});

/** Fails for null, as Java does. */
export function needed(rt: Runtime, value: Value): Value {
  return value === null ? rt.fail('java.lang.NullPointerException', null) : value;
}

function indexFrom(text: string, other: string, from: number): number {
  return text.indexOf(other, Math.max(0, from));
}

function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from);
  if (start < 0 || from === '' || to === '') return '';
  const end = text.indexOf(to, start + from.length);
  return end < 0 ? '' : text.slice(start + from.length, end);
}

/** Tabs as spaces up to the next stop. */
function expanded(rt: Runtime, text: string, stop: number): string {
  rt.budget.allocate(text.length * stop * 2);
  return text
    .split('\n')
    .map((line) => line.replaceAll(/([^\t]*)\t/g, (_, run: string) => run + ' '.repeat(stop - (run.length % stop))))
    .join('\n');
}

function stripMargin(text: string, mark: string): string {
  chargeItems(text.length, LINE_BYTES);
  return text
    .split('\n')
    .map((line) => (line.trimStart().startsWith(mark) ? line.trimStart().slice(mark.length) : line))
    .join('\n');
}

function characters(rt: Runtime, text: string): ArrayValue {
  rt.budget.allocate(text.length * 32);
  return new ArrayValue(
    PRIMITIVES.char,
    Array.from({ length: text.length }, (_, at) => new Char(text.charCodeAt(at))),
  );
}
