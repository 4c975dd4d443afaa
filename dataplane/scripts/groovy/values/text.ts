import { Closure, Functional } from './closure.ts';
import { ArrayValue, ByteArray, Entry, GMap, GSet, List } from './collections.ts';
import { GSTRING_IMPL, PRIMITIVES } from './core-classes.ts';
import { decimalText, digitsOf } from './decimal.ts';
import { doubleText, floatText } from './floating-text.ts';
import { type Budget, JavaClass, type Value } from './java-class.ts';
import { identityOf } from './key-of.ts';
import { chargeText, chargeValue, meter, setMeter } from './meter.ts';
import { BigDecimal, BigInteger, Byte, Char, Double, Float, Short } from './numbers.ts';
import { Throwable } from './throwable.ts';

/** Form of collections: Groovy's `[a:1]`, or Java's `{a=1}`. */
export type TextStyle = 'groovy' | 'java' | 'inspect';

/** The text of a value, as `toString()` gives it. */
export function textOf(value: Value, budget: Budget | null = null, style: TextStyle = 'groovy'): string {
  // The gateway may ask for the text of a result, when no script runs.
  const isLate = budget !== null && meter() === null;
  if (isLate) setMeter(budget);
  try {
    const text = render(value, style, []);
    budget?.allocate(text.length * 2);
    return text;
  } finally {
    if (isLate) setMeter(null);
  }
}

function render(value: Value, style: TextStyle, within: readonly Value[]): string {
  chargeValue();
  if (value === null) return 'null';
  if (typeof value === 'string') return style === 'inspect' ? quoted(value) : value;
  if (typeof value !== 'object') return String(value);
  if (value instanceof List) return inBrackets(value, value.items, style, within);
  if (value instanceof GSet) return inBrackets(value, value.items(), style, within);
  if (value instanceof GMap) return mapText(value, style, within);
  if (value instanceof Entry) {
    const separator = style === 'inspect' ? ':' : '=';
    return `${render(value.entryKey, style, within)}${separator}${render(value.value, style, within)}`;
  }
  if (value instanceof ArrayValue) return arrayText(value, style, within);
  if (value instanceof ByteArray) {
    chargeText(5 * value.bytes.length);
    return `[${new Int8Array(value.bytes).join(', ')}]`;
  }
  if (value instanceof Double) return doubleText(value.value);
  if (value instanceof Float) return floatText(value.value);
  if (value instanceof Short || value instanceof Byte) return String(value.value);
  if (value instanceof BigInteger) return digitsOf(value.value);
  if (value instanceof BigDecimal) return decimalText(value);
  if (value instanceof Char) return String.fromCharCode(value.code);
  if (value instanceof JavaClass) return classText(value);
  if (value instanceof Throwable) {
    value.readMessage();
    return value.text();
  }
  if (value.text !== undefined) {
    const text = value.text();
    return style === 'inspect' &&
      value.elements === undefined &&
      value.javaClass.supertypes.size > 0 &&
      isCharacters(value)
      ? value.javaClass === GSTRING_IMPL
        ? quoted(text, '"')
        : quoted(text)
      : text;
  }
  if (value instanceof Closure) return `Script1$_run_closure1@${identityOf(value).toString(16)}`;
  if (value instanceof Functional) return `Script1$$Lambda@${identityOf(value).toString(16)}`;
  return `${value.javaClass.name}@${identityOf(value).toString(16)}`;
}

function isCharacters(value: Exclude<Value, null | boolean | string | number | bigint>): boolean {
  return [...value.javaClass.supertypes].some((type) => type.name === 'java.lang.CharSequence');
}

function classText(type: JavaClass): string {
  if (type.superclass === null && Object.hasOwn(PRIMITIVES, type.name)) return type.name;
  return `${type.isInterface ? 'interface' : 'class'} ${type.name}`;
}

const DEEPEST = 200;

function inBrackets(self: Value, items: readonly Value[], style: TextStyle, within: readonly Value[]): string {
  if (within.length > DEEPEST) return '...';
  const inner = [...within, self];
  const text = `[${items.map((item) => (item === self ? '(this Collection)' : render(item, style, inner))).join(', ')}]`;
  chargeText(text.length);
  return text;
}

function mapText(map: GMap, style: TextStyle, within: readonly Value[]): string {
  if (within.length > DEEPEST) return '...';
  const inner = [...within, map];
  const show = (value: Value): string => (value === map ? '(this Map)' : render(value, style, inner));
  if (style === 'java' && map.ownText !== null) return map.ownText();
  const entries = map.entries();
  chargeText(4 * entries.length);
  if (style === 'java') return `{${entries.map((entry) => `${show(entry.entryKey)}=${show(entry.value)}`).join(', ')}}`;
  return entries.length === 0
    ? '[:]'
    : `[${entries.map((entry) => `${show(entry.entryKey)}:${show(entry.value)}`).join(', ')}]`;
}

function arrayText(array: ArrayValue, style: TextStyle, within: readonly Value[]): string {
  if (style === 'java') return `${array.javaClass.name}@${identityOf(array).toString(16)}`;
  if (array.javaClass.component === PRIMITIVES.char)
    return array.items.map((item) => render(item, 'groovy', within)).join('');
  return inBrackets(array, array.items, style, within);
}

/** A String as `inspect()` shows it. */
function quoted(text: string, mark = "'"): string {
  const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', "'": "\\'", '\\': '\\\\' };
  return `${mark}${text.replace(/[\n\r\t'\\]/g, (char) => escapes[char]!)}${mark}`;
}
