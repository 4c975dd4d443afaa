import { Closure } from '../../values/closure.ts';
import { ByteArray, Entry, GMap } from '../../values/collections.ts';
import { type ClassSpec, type JavaClass, OBJECT, type Obj, type Runtime, type Value } from '../../values/java-class.ts';
import { Throwable } from '../../values/throwable.ts';
import { decodeBytes } from '../encoding/charsets.ts';
import { Plain, Uuid } from '../encoding/encoding-classes.ts';
import { UrlValue } from '../encoding/uri-classes.ts';
import { EnumConstant, enumSpec } from '../numbers/big-classes.ts';
import type { TextReader } from '../system/stream-values.ts';
import { CalendarValue } from '../time/calendar-classes.ts';
import { DateValue, isoDate } from '../time/date-value.ts';
import { type JsonManner, JsonNumberError, JsonSyntaxError, readJson } from './json-reader.ts';
import { type JsonWriting, jsonString, writeJson } from './json-writer.ts';

const slurped = (rt: Runtime, isClassic: boolean): JsonManner => ({
  decimals: true,
  isLoose: !isClassic,
  makeMap: () =>
    isClassic
      ? new GMap(rt.class('java.util.HashMap'), 'hash')
      : new GMap(rt.class('org.apache.groovy.json.internal.LazyMap')),
});

export function parse(rt: Runtime, text: string | null, isClassic: boolean): Value {
  if (text === null || text === '')
    return rt.fail('java.lang.IllegalArgumentException', 'Text must not be null or empty');
  try {
    return readJson(text, slurped(rt, isClassic), rt.budget);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return rt.fail('groovy.json.JsonException', error.message);
    if (error instanceof JsonNumberError) return badNumber(rt, error);
    throw error;
  }
}

function badNumber(rt: Runtime, { message: text, unexpected }: JsonNumberError): never {
  if (unexpected !== null)
    rt.fail('org.apache.groovy.json.internal.Exceptions$JsonInternalException', `unexpected character ${unexpected}`);
  if (/^-?\d+(?:\.\d*)?[eE][+-]?$/.test(text)) {
    const cause = new Throwable(rt.class('java.lang.ArrayIndexOutOfBoundsException'), null);
    return rt.fail('java.lang.NumberFormatException', null, cause);
  }
  return rt.fail('org.apache.groovy.json.internal.Exceptions$JsonInternalException', `unexpected character in ${text}`);
}

/** Settings of a generator: what it leaves out, and conversions of values. */
export interface JsonManners {
  readonly excludesNulls: boolean;
  readonly excludedNames: readonly string[];
  readonly escapesUnicode: boolean;
  /** Text of a date, or null for the usual one. */
  readonly date: ((rt: Runtime, value: DateValue) => string) | null;
  /** Value that is written in place of another; by default the same one. */
  readonly convert: (rt: Runtime, value: Value) => Value;
}

const usual: JsonManners = {
  excludesNulls: false,
  excludedNames: [],
  escapesUnicode: true,
  date: null,
  convert: (_rt, value) => value,
};

/** Text that is JSON already. */
export class JsonUnescaped implements Obj {
  readonly javaClass: JavaClass;
  readonly json: string;

  constructor(rt: Runtime, json: string) {
    this.javaClass = rt.class('groovy.json.JsonOutput$JsonUnescaped');
    this.json = json;
  }

  text(): string {
    return this.json;
  }
}

/** JSON as groovy.json.JsonOutput writes it. */
const outputOf = (manners: JsonManners, contentOf: (rt: Runtime, closure: Closure) => Value): JsonWriting => ({
  escapesUnicode: manners.escapesUnicode,
  takesGStrings: true,
  unwrap: (value, rt) => manners.convert(rt, value),
  skips: (name, value) => (manners.excludesNulls && value === null) || manners.excludedNames.includes(name),
  other: (rt, value) => {
    if (value instanceof Closure) return toJson(rt, contentOf(rt, value), contentOf, manners);
    if (value instanceof JsonUnescaped) return value.json;
    if (value instanceof Entry) return toJson(rt, entryMap(value), contentOf, manners);
    if (value instanceof DateValue && manners.date !== null) return jsonString(manners.date(rt, value), true);
    if (rt.isInstance(value, rt.class('java.lang.CharSequence'))) return jsonString(rt.text(value), true);
    if (value instanceof ByteArray) return `[${[...new Int8Array(value.bytes)].join(',')}]`;
    if (value instanceof DateValue) return `"${isoDate(value)}"`;
    if (value instanceof CalendarValue) return `"${isoDate(new DateValue(rt, value.time))}"`;
    if (value instanceof Uuid || value instanceof UrlValue) return jsonString(rt.text(value), true);
    if (value instanceof EnumConstant) return `"${value.name}"`;
    if (value !== null && typeof value === 'object' && value.javaClass.isEnum) return jsonString(rt.text(value), true);
    if (value !== null && typeof value === 'object' && value.javaClass.declared !== null) {
      const properties = rt.now(rt.get(value, 'properties'));
      if (properties instanceof GMap) {
        const shown = new GMap();
        for (const entry of properties.entries())
          if (entry.entryKey !== 'class') shown.put(entry.entryKey, entry.value);
        return toJson(rt, shown, contentOf, manners);
      }
    }
    if (value !== null && rt.classOf(value) === OBJECT) return '{}';
    return rt.fail('java.lang.UnsupportedOperationException', `JSON of ${rt.classOf(value).name} is not available`);
  },
});

function entryMap(entry: Entry): GMap {
  const map = new GMap();
  map.put('key', entry.entryKey);
  map.put('value', entry.value);
  return map;
}

/** Content of a builder, of a closure that builds, or of nested ones; `contentOf` runs a closure that builds. */
export function toJson(
  rt: Runtime,
  value: Value,
  contentOf: (rt: Runtime, closure: Closure) => Value,
  manners: JsonManners = usual,
): string {
  return writeJson(rt, value, outputOf(manners, contentOf));
}

type Slurper = Plain<{ readonly isClassic: boolean }>;

function slurper(name: string, isClassic: boolean): ClassSpec {
  return {
    name,
    constructors: { '()': (rt) => new Plain(rt, name, { isClassic }) },
    methods: {
      'parseText(String)': (rt, self: Slurper, [text]: [string | null]) => parse(rt, text, self.state.isClassic),
      'parse(byte[])': (rt, self: Slurper, [array]: [ByteArray]) =>
        array.bytes.length === 0
          ? rt.fail('java.lang.ArrayIndexOutOfBoundsException', 'Index -1 out of bounds for length 0')
          : parse(rt, decodeBytes('UTF-8', array.bytes), self.state.isClassic),
      'parse(byte[], String)': (rt, self: Slurper, [array, charset]: [ByteArray, string]) =>
        parse(rt, decodeBytes(charset, array.bytes), self.state.isClassic),
      'parse(char[])': (rt, self: Slurper, [text]: [Value]) => parse(rt, rt.text(text), self.state.isClassic),
      'parse(Reader)': (rt, self: Slurper, [reader]: [TextReader]) => parse(rt, reader.rest(), self.state.isClassic),
      'parse(InputStream, String)': (rt, self: Slurper, [stream, charset]: [Value, string]) =>
        parse(rt, rt.text(rt.now(rt.call(stream, 'getText', [charset]))), self.state.isClassic),
      'parse(InputStream)': (rt, self: Slurper, [stream]: [Value]) =>
        parse(rt, rt.text(rt.now(rt.call(stream, 'getText', []))), self.state.isClassic),
      'setType(groovy.json.JsonParserType)': (rt, self: Slurper, [type]: [EnumConstant]) =>
        type.name === 'LAX' || type.name === 'INDEX_OVERLAY'
          ? rt.fail('java.lang.UnsupportedOperationException', `the parser ${type.name} is not available`)
          : self,
    },
  };
}

export const jsonClasses: readonly ClassSpec[] = [
  slurper('groovy.json.JsonSlurper', false),
  slurper('groovy.json.JsonSlurperClassic', true),
  {
    name: 'org.apache.groovy.json.internal.LazyMap',
    superclass: 'java.util.AbstractMap',
    methods: { 'toString()': (rt, self: Value) => rt.javaText(self) },
  },
  enumSpec('groovy.json.JsonParserType', ['CHAR_BUFFER', 'INDEX_OVERLAY', 'LAX', 'CHARACTER_SOURCE']),
  { name: 'groovy.json.JsonException', superclass: 'java.lang.RuntimeException' },
  {
    name: 'org.apache.groovy.json.internal.Exceptions$JsonInternalException',
    superclass: 'groovy.json.JsonException',
  },
];
