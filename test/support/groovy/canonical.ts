import { textForJava } from '../../../dataplane/scripts/groovy/runtime/failures.ts';
import { isEnumConstant } from '../../../dataplane/scripts/groovy/runtime/instance.ts';
import type { Machine } from '../../../dataplane/scripts/groovy/runtime/machine.ts';
import { Closure } from '../../../dataplane/scripts/groovy/values/closure.ts';
import {
  ArrayValue,
  ByteArray,
  Entry,
  GMap,
  GSet,
  List,
} from '../../../dataplane/scripts/groovy/values/collections.ts';
import { GString } from '../../../dataplane/scripts/groovy/values/g-string.ts';
import { JavaClass, type Obj, type Value } from '../../../dataplane/scripts/groovy/values/java-class.ts';
import {
  BigDecimal,
  BigInteger,
  Byte,
  Char,
  Double,
  Float,
  Short,
} from '../../../dataplane/scripts/groovy/values/numbers.ts';
import { Range } from '../../../dataplane/scripts/groovy/values/range.ts';
import { Throwable } from '../../../dataplane/scripts/groovy/values/throwable.ts';

/** A value in the form of the rows. */
export function canonical(rt: Machine, value: Value): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'string' || typeof value === 'number')
    return value;
  if (typeof value === 'bigint') return { $long: String(value) };
  const text = (): string => rt.text(value);
  if (value instanceof GString) return textForJava(rt, value);
  if (value instanceof Short) return { $short: text() };
  if (value instanceof Byte) return { $byte: text() };
  if (value instanceof BigInteger) return { $bigint: text() };
  if (value instanceof BigDecimal) return { $decimal: text() };
  if (value instanceof Double) return { $double: text() };
  if (value instanceof Float) return { $float: text() };
  if (value instanceof Char) return { $char: text() };
  if (value instanceof Range) return { $range: text(), elements: value.items.map((item) => canonical(rt, item)) };
  if (value instanceof List && rt.isInstance(value, rt.class('java.util.List')))
    return value.items.map((item) => canonical(rt, item));
  if (value instanceof ByteArray) return { $bytes: Buffer.from(value.bytes).toString('base64') };
  if (value instanceof ArrayValue)
    return { $array: value.javaClass.simpleName, items: value.items.map((item) => canonical(rt, item)) };
  if (value instanceof GSet) return setForm(rt, value, value.items());
  if (value instanceof GMap) return mapForm(rt, value, value.entries());
  if (value instanceof Entry) return { $entry: [canonical(rt, value.entryKey), canonical(rt, value.value)] };
  if (value instanceof JavaClass) return { $class: value.name };
  if (value instanceof Closure) return { $closure: value.parameterCount };
  if (value instanceof Throwable) return { $throwable: { class: value.javaClass.name, message: value.message } };
  if (isEnumConstant(value)) return { $enum: `${enumName(value)}.${String(value.fields.get('$name'))}` };
  return objectForm(rt, value);
}

function enumName(value: Obj): string {
  return value.javaClass.isEnum ? value.javaClass.simpleName : value.javaClass.superclass!.simpleName;
}

function isOrdered(type: JavaClass): boolean {
  return (
    !/^java\.util\.(?:HashSet|HashMap|concurrent\.ConcurrentHashMap)$/.test(type.name) &&
    !/HashMap\$(?:KeySet|Values|EntrySet)|ImmutableCollections/.test(type.name)
  );
}

function byText(left: unknown, right: unknown): number {
  const [a, b] = [JSON.stringify(left), JSON.stringify(right)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function setForm(rt: Machine, self: Obj, items: readonly Value[]): unknown {
  const forms = items.map((item) => canonical(rt, item));
  return { $set: isOrdered(self.javaClass) || self.javaClass.name.includes('LinkedHash') ? forms : forms.sort(byText) };
}

function mapForm(rt: Machine, self: Obj, entries: readonly Entry[]): unknown {
  const sorted = isOrdered(self.javaClass)
    ? entries
    : [...entries].sort((left, right) => byText(keyForm(rt, left), keyForm(rt, right)));
  if (entries.every((entry) => typeof entry.entryKey === 'string' && !entry.entryKey.startsWith('$'))) {
    return Object.fromEntries(sorted.map((entry) => [entry.entryKey as string, canonical(rt, entry.value)]));
  }
  return {
    $map: sorted.map((entry) => [keyForm(rt, entry), canonical(rt, entry.value)]),
  };
}

function keyForm(rt: Machine, { entryKey }: Entry): unknown {
  return entryKey instanceof GString ? { $gstring: rt.text(entryKey) } : canonical(rt, entryKey);
}

function objectForm(rt: Machine, value: Obj): unknown {
  const { name, simpleName, supertypes } = value.javaClass;
  const has = (type: string): boolean => [...supertypes].some((each) => each.name === type);
  if (has('java.util.Set') && value.elements !== undefined) return setForm(rt, value, value.elements());
  if (has('java.util.List') && value.elements !== undefined) return value.elements().map((item) => canonical(rt, item));
  if (has('java.util.Date'))
    return { $date: rt.text(rt.now(rt.call(rt.now(rt.call(value, 'toInstant', [])), 'toString', []))) };
  if (name.startsWith('java.time.')) return { $time: simpleName, value: rt.text(value) };
  if (name === 'java.util.UUID') return { $uuid: rt.text(value) };
  if (name === 'java.net.URI' || name === 'java.net.URL') return { $uri: rt.text(value) };
  if (name === 'java.util.regex.Pattern') return { $pattern: rt.text(value) };
  if (name === 'java.util.Optional') {
    const isPresent = rt.truth(rt.now(rt.call(value, 'isPresent', [])));
    return { $optional: isPresent ? canonical(rt, rt.now(rt.call(value, 'get', []))) : null };
  }
  if (name === 'java.lang.StringBuilder' || name === 'java.lang.StringBuffer')
    return { $stringbuilder: rt.text(value) };
  if (value.javaClass.isEnum) return { $enum: `${simpleName}.${rt.text(value)}` };
  return { $object: simpleName, string: rt.text(value).replace(/@[0-9a-f]{1,8}\b/g, '@HASH') };
}
