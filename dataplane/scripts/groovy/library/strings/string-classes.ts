import { Functional } from '../../values/closure.ts';
import { type ArrayValue, ByteArray } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Value } from '../../values/java-class.ts';
import { chargeItems } from '../../values/meter.ts';
import { Char } from '../../values/numbers.ts';
import { castFail } from '../../values/sam-results.ts';
import { itemsNow } from '../collections/walk.ts';
import { charsetOf, decodeBytes, encodeText } from '../encoding/charsets.ts';
import { stepsOf } from '../steps-of.ts';
import { dateConversion } from '../time/date-conversion.ts';
import { TextBuilder } from './builder-classes.ts';
import { conversionMethods } from './conversion-methods.ts';
import { javaFormat } from './java-format.ts';
import { checkLocale } from './locales.ts';
import { regexMethods } from './regex-methods.ts';
import { LINE_BYTES, onTexts, stringMethods } from './string-methods.ts';

/** Arguments of a variadic call; a lone null is an array that is null, which formats as null. */
function argumentsOf(args: ArrayValue | null): readonly Value[] {
  return args?.items ?? [null];
}

/** `String.format` with the values of a script. */
export function formatted(rt: Runtime, format: string, args: readonly Value[]): string {
  return javaFormat(rt, format, args, dateConversion);
}

function bytes(rt: Runtime, text: string, charset: Value): ByteArray {
  rt.budget.allocate(text.length * 2);
  return new ByteArray(encodeText(charsetOf(rt, charset), text));
}

function fromBytes(rt: Runtime, array: ByteArray, charset: Value): string {
  rt.budget.allocate(array.bytes.length * 2);
  return decodeBytes(charsetOf(rt, charset), array.bytes);
}

const moreMethods: Readonly<Record<string, LibraryFunction>> = onTexts({
  'getBytes()': (rt, text) => bytes(rt, text, 'UTF-8'),
  'getBytes(String)': (rt, text, [charset]: [string]) => bytes(rt, text, charset),
  'getBytes(java.nio.charset.Charset)': (rt, text, [charset]: [Value]) => bytes(rt, text, charset),
  'formatted(Object...)': (rt, text, [args]: [ArrayValue]) => formatted(rt, text, argumentsOf(args)),
  'leftShift(Object)': (rt, text, [value]: [Value]) => appended(rt, 'java.lang.StringBuilder', text, value),
});

/** Groovy gives a StringBuffer for a String, and a StringBuilder for other texts. */
function appended(rt: Runtime, className: string, text: string, value: Value): TextBuilder {
  const more = rt.text(value);
  rt.budget.allocate(2 * (text.length + more.length));
  return new TextBuilder(rt.class(className), text + more);
}

const statics: Readonly<Record<string, LibraryFunction>> = {
  'valueOf(Object)': (rt, _self: Value, [value]: [Value]) => rt.javaText(value),
  'valueOf(char[])': (rt, _self: Value, [value]: [Value]) => rt.text(value),
  'copyValueOf(char[])': (rt, _self: Value, [value]: [Value]) =>
    value === null ? rt.fail('java.lang.NullPointerException') : rt.text(value),
  'format(String, int[])': (rt, _self: Value, [format, args]: [string, ArrayValue]) =>
    formatted(rt, format, argumentsOf(args)),
  'format(String, Object...)': (rt, _self: Value, [format, args]: [string, ArrayValue]) =>
    formatted(rt, format, argumentsOf(args)),
  'format(Locale, String, Object...)': (rt, _self: Value, [locale, format, args]: [Value, string, ArrayValue]) => {
    checkLocale(rt, locale);
    return formatted(rt, format, argumentsOf(args));
  },
  'join(CharSequence, CharSequence...)': (rt, _self: Value, [separator, parts]: [Value, ArrayValue]) =>
    joined(rt, separator, parts.items),
  'join(CharSequence, Iterable)': (rt, _self: Value, [separator, parts]: [Value, Value]) =>
    joined(rt, separator, itemsNow(rt, parts)),
};

function joined(rt: Runtime, separator: Value, parts: readonly Value[]): string {
  if (separator === null) return rt.fail('java.lang.NullPointerException', null);
  const type = rt.class('java.lang.CharSequence');
  const stray = parts.find((part) => part !== null && !rt.isInstance(part, type));
  if (stray !== undefined)
    rt.fail(
      'java.lang.ClassCastException',
      `class ${rt.classOf(stray).name} cannot be cast to class java.lang.CharSequence`,
    );
  const texts = parts.map((part) => rt.text(part));
  for (const text of texts) rt.budget.allocate(2 * (text.length + 8));
  return texts.join(rt.text(separator));
}

function compareCaseless(rt: Runtime, left: Value, right: Value): number {
  for (const each of [left, right]) {
    if (each === null) rt.fail('java.lang.NullPointerException', null);
    if (typeof each !== 'string') castFail(rt, each, 'java.lang.String');
  }
  const [a, b] = [rt.text(left).toUpperCase().toLowerCase(), rt.text(right).toUpperCase().toLowerCase()];
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = a.charCodeAt(at) - b.charCodeAt(at);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** A class of characters, told by a property of Unicode. */
const is =
  (pattern: RegExp): LibraryFunction =>
  (rt: Runtime, _self: Value, [value]: [Value]) =>
    pattern.test(typeof value === 'number' ? String.fromCodePoint(value) : rt.text(value));

function changed(change: (text: string) => string): LibraryFunction {
  return (_rt: Runtime, _self: Value, [value]: [Char]) => {
    const text = change(String.fromCharCode(value.code));
    return new Char(text.length === 1 ? text.charCodeAt(0) : value.code);
  };
}

const characterStatics: Readonly<Record<string, LibraryFunction>> = {
  'isDigit(char)': is(/^\p{Nd}$/u),
  'isLetter(char)': is(/^\p{L}$/u),
  'isLetterOrDigit(char)': is(/^[\p{L}\p{Nd}]$/u),
  'isAlphabetic(int)': is(/^\p{Alphabetic}$/u),
  'isWhitespace(char)': is(/^(?:[\t-\r\u001c-\u001f]|(?![\u00a0\u2007\u202f])\p{Z})$/u),
  'isUpperCase(char)': is(/^\p{Uppercase}$/u),
  'isLowerCase(char)': is(/^\p{Lowercase}$/u),
  'toUpperCase(char)': changed((text) => text.toUpperCase()),
  'toLowerCase(char)': changed((text) => text.toLowerCase()),
  'toString(char)': (_rt, _self: Value, [value]: [Char]) => String.fromCharCode(value.code),
  'valueOf(char)': (_rt, _self: Value, [value]: [Char]) => value,
  'getNumericValue(char)': (_rt, _self: Value, [value]: [Char]) => digitOf(value.code, 36),
  'digit(char, int)': (_rt, _self: Value, [value, radix]: [Char, number]) => digitOf(value.code, radix),
  'toChars(int)': (rt, _self: Value, [code]: [number]) =>
    rt.now(rt.call(String.fromCodePoint(code), 'toCharArray', [])),
};

function digitOf(code: number, radix: number): number {
  const text = String.fromCharCode(code).toLowerCase();
  const digit = /^\d$/.test(text) ? Number(text) : /^[a-z]$/.test(text) ? text.charCodeAt(0) - 87 : -1;
  return digit < radix ? digit : -1;
}

const onCharacter =
  (code: (character: Char) => Value): LibraryFunction =>
  (_rt: Runtime, self: Char) =>
    code(self);

/** Methods that String has and builders do not; a GString has them by its text. */
const OF_STRINGS: ReadonlySet<string> = new Set(
  (
    'intern trim strip stripLeading stripTrailing toLowerCase toUpperCase compareTo ' +
    'startsWith endsWith equalsIgnoreCase contentEquals compareToIgnoreCase concat repeat toCharArray toCharacter toBoolean ' +
    'collectReplacements getBytes formatted regionMatches indent translateEscapes transform matches(String) split(String) ' +
    'split(String,int) replace(CharSequence,CharSequence) replace(char,char) indexOf(int) indexOf(int,int) lastIndexOf(int) ' +
    'lastIndexOf(int,int)'
  ).split(' '),
);

function chosen(isChosen: (name: string) => boolean): Record<string, LibraryFunction> {
  const all = { ...stringMethods, ...regexMethods, ...conversionMethods, ...moreMethods };
  return Object.fromEntries(
    Object.entries(all).filter(([signature]) => {
      const plain = signature.replaceAll(' ', '');
      const name = plain.slice(0, plain.indexOf('('));
      return isChosen(OF_STRINGS.has(name) ? name : plain);
    }),
  );
}

/** Java's `stripIndent`: the last line counts even if it is blank, and blanks at the ends of lines go. */
function withoutIndent(text: string): string {
  if (text === '') return text;
  chargeItems(text.length, LINE_BYTES);
  const lines = text.split(/\r\n|[\r\n]/);
  const widths = lines
    .filter((line, at) => line.trim() !== '' || at === lines.length - 1)
    .map((line) => line.length - line.trimStart().length);
  const width = widths.reduce((least, each) => Math.min(least, each));
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(width).trimEnd())).join('\n');
}

export const stringClasses: readonly ClassSpec[] = [
  {
    name: 'java.lang.CharSequence',
    methods: chosen((name) => !OF_STRINGS.has(name)),
  },
  {
    name: 'groovy.lang.GString',
    methods: {
      ...chosen((name) => OF_STRINGS.has(name)),
      'lines()': (rt, self: Value) => rt.call(rt.text(self), 'lines', []),
      'plus(String)': (rt, self: Value, [more]: [Value]) => rt.operator('plus', self, more),
      'compareTo(Object)': (rt, self: Value, [other]: [Value]) =>
        rt.call(rt.text(self), 'compareTo', [rt.text(other ?? rt.fail('java.lang.NullPointerException', null))]),
    },
  },
  { name: 'java.lang.String', methods: chosen((name) => OF_STRINGS.has(name)) },
  {
    name: 'java.lang.String',
    statics,
    constants: {
      CASE_INSENSITIVE_ORDER: (rt) =>
        new Functional(rt.class('java.util.Comparator'), 2, ([left, right]) =>
          stepsOf<Value>(compareCaseless(rt, left!, right!)),
        ),
    },
    constructors: {
      '()': () => '',
      '(String)': (rt, _self: Value, [text]: [Value]) => rt.text(text),
      '(char[])': (rt, _self: Value, [text]: [Value]) => rt.text(text),
      '(CharSequence)': (rt, _self: Value, [text]: [Value]) => rt.text(text),
      '(byte[])': (rt, _self: Value, [array]: [ByteArray]) => fromBytes(rt, array, 'UTF-8'),
      '(byte[], String)': (rt, _self: Value, [array, charset]: [ByteArray, string]) => fromBytes(rt, array, charset),
      '(byte[], java.nio.charset.Charset)': (rt, _self: Value, [array, charset]: [ByteArray, Value]) =>
        fromBytes(rt, array, charset),
      '(byte[], int, int)': (rt, _self: Value, [array, from, length]: [ByteArray, number, number]) =>
        fromBytes(rt, new ByteArray(array.bytes.slice(from, from + length)), 'UTF-8'),
    },
    methods: {
      'lines()': (rt, self: string) => rt.now(rt.call(rt.now(rt.call(self, 'readLines', [])), 'stream', [])),
      'toString()': (_rt, self: string) => self,
      'stripIndent()': (_rt, self: string) => withoutIndent(self),
      'leftShift(Object)': (rt, self: string, [value]: [Value]) => appended(rt, 'java.lang.StringBuffer', self, value),
    },
  },
  {
    name: 'java.lang.Character',
    statics: characterStatics,
    constants: { MAX_VALUE: () => new Char(0xffff), MIN_VALUE: () => new Char(0) },
    constructors: { '(char)': (_rt, _self: Value, [value]: [Char]) => value },
    methods: {
      'charValue()': (_rt, self: Char) => self,
      'isDigit()': onCharacter((character) => /^\p{Nd}$/u.test(String.fromCharCode(character.code))),
      'isLetter()': onCharacter((character) => /^\p{L}$/u.test(String.fromCharCode(character.code))),
      'isLetterOrDigit()': onCharacter((character) => /^[\p{L}\p{Nd}]$/u.test(String.fromCharCode(character.code))),
      'isWhitespace()': onCharacter((character) => /^\s$/.test(String.fromCharCode(character.code))),
      'isUpperCase()': onCharacter((character) => /^\p{Uppercase}$/u.test(String.fromCharCode(character.code))),
      'isLowerCase()': onCharacter((character) => /^\p{Lowercase}$/u.test(String.fromCharCode(character.code))),
      'toUpperCase()': onCharacter(
        (character) => new Char(String.fromCharCode(character.code).toUpperCase().charCodeAt(0)),
      ),
      'toLowerCase()': onCharacter(
        (character) => new Char(String.fromCharCode(character.code).toLowerCase().charCodeAt(0)),
      ),
      'next()': onCharacter((character) => new Char(character.code + 1)),
      'previous()': onCharacter((character) => new Char(character.code - 1)),
    },
  },
  { name: 'java.util.IllegalFormatException', superclass: 'java.lang.IllegalArgumentException' },
  ...[
    'UnknownFormatConversion',
    'MissingFormatArgument',
    'IllegalFormatConversion',
    'MissingFormatWidth',
    'DuplicateFormatFlags',
    'IllegalFormatPrecision',
    'IllegalFormatFlags',
    'FormatFlagsConversionMismatch',
  ].map((name): ClassSpec => ({ name: `java.util.${name}Exception`, superclass: 'java.util.IllegalFormatException' })),
];
