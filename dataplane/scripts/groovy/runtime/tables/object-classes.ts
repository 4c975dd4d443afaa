import type { Closure } from '../../values/closure.ts';
import { ArrayValue, GMap, List } from '../../values/collections.ts';
import { isNumber } from '../../values/conversions.ts';
import { ENUM, SCRIPT } from '../../values/core-classes.ts';
import { GString } from '../../values/g-string.ts';
import { type ClassSpec, JavaClass, OBJECT, type Runtime, type Steps, type Value } from '../../values/java-class.ts';
import { identityOf } from '../../values/key-of.ts';
import type { Core } from '../core.ts';
import { MetaClass } from '../meta-class.ts';
import { MetaProperty } from '../meta-property.ts';
import { isSame } from '../operators.ts';

/** Fields of a String, which Groovy cannot read. */
const TEXT_FIELDS = 'value coder hash hashIsZero'
  .split(' ')
  .map((name) => `${name}=inaccessible`)
  .join(' ');

/** Runs a closure with an object as its delegate. */
function* withDelegate(rt: Runtime, self: Value, closure: Closure) {
  return yield* rt.invoke(closure.delegatingTo(self), [self]);
}

export const objectClasses: readonly ClassSpec[] = [
  {
    name: 'java.lang.Object',
    constructors: { '()': () => new Plain() },
    methods: {
      'toString()': (rt, self: Value) => rt.text(self),
      'equals(Object)': (rt, self: Value, [other]: [Value]) => rt.javaEquals(self, other),
      'hashCode()': (rt, self: Value) => rt.hash(self),
      'getClass()': (rt, self: Value) => rt.classOf(self),
      'is(Object)': (rt, self: Value, [other]: [Value]) => isSame(rt as Core, self, other, false),
      'with(Closure)': (rt, self: Value, [closure]: [Closure]) => withDelegate(rt, self, closure),
      'with(boolean, Closure)': function* (rt, self: Value, [returnsSelf, closure]: [boolean, Closure]) {
        const value = yield* withDelegate(rt, self, closure);
        return returnsSelf ? self : value;
      },
      'tap(Closure)': function* (rt, self: Value, [closure]: [Closure]) {
        yield* withDelegate(rt, self, closure);
        return self;
      },
      'identity(Closure)': (rt, self: Value, [closure]: [Closure]) => withDelegate(rt, self, closure),
      'inspect()': (rt, self: Value) => rt.inspect(self),
      'isCase(Object)': (rt, self: Value, [item]: [Value]) => rt.javaEquals(self, item),
      'asBoolean()': (rt, self: Value) => rt.truth(self),
      'asType(Class)': (rt, self: Value, [type]: [JavaClass]) => rt.as(self, type),
      'getAt(String)': (rt, self: Value, [name]: [string]) => rt.get(self, name),
      'putAt(String, Object)': (rt, self: Value, [name, value]: [string, Value]) => rt.set(self, name, value),
      'getMetaClass()': (rt, self: Value) => new MetaClass(rt as Core, rt.classOf(self), false, self),
      'getMetaPropertyValues()': () => new List(),
      'getProperties()': (rt, self: Value) => propertiesMap(rt as Core, self),
      'respondsTo(String)': (rt, self: Value, [name]: [string]) =>
        new List((rt as Core).methods(rt.classOf(self), name).map((each) => each.name)),
      'respondsTo(String, Object[])': (rt, self: Value, [name]: [string]) =>
        new List((rt as Core).methods(rt.classOf(self), name).map((each) => each.name)),
      'hasProperty(String)': (rt, self: Value, [name]: [string]) =>
        (rt as Core).getter(rt.classOf(self), name) === null ? null : new MetaProperty(rt as Core, name),
      'invokeMethod(String, Object)': (rt, self: Value, [name, args]: [string, Value]) =>
        rt.call(
          self,
          name,
          args instanceof ArrayValue ? args.items : args instanceof List ? args.items : args === null ? [] : [args],
        ),
      'print(Object)': (rt, _self: Value, [value]: [Value]) => rt.print(rt.text(value)),
      'println()': (rt) => rt.print('\n'),
      'println(Object)': (rt, _self: Value, [value]: [Value]) => rt.print(`${rt.text(value)}\n`),
      'printf(String, Object...)': function* (rt, _self: Value, [format, args]: [string | null, ArrayValue]) {
        if (format === null) return rt.fail('java.lang.NullPointerException', null);
        rt.print(rt.text(yield* rt.callStatic(rt.class('String'), 'format', [format, ...formatArguments(args)])));
        return null;
      },
      'sprintf(String, Object...)': (rt, _self: Value, [format, args]: [string, ArrayValue]) =>
        rt.callStatic(rt.class('String'), 'format', [format, ...formatArguments(args)]),
      'dump()': (rt, self: Value) => {
        if (typeof self === 'string') return `<java.lang.String@${rt.hash(self).toString(16)} ${TEXT_FIELDS}>`;
        if ((isNumber(self) && !rt.classOf(self).name.startsWith('java.math.')) || typeof self === 'boolean')
          return `<${rt.classOf(self).name}@${rt.hash(self).toString(16)} value=inaccessible>`;
        // The fields of Java's own classes are not known.
        if (rt.classOf(self).declared === null) notAvailable(rt, `dump() of ${rt.classOf(self).name}`);
        return `<${rt.classOf(self).name}@${rt.hash(self).toString(16)}>`;
      },
      'iterator()': (rt, self: Value) => loneIterator(rt, self),
      'wait()': (rt) => rt.fail('java.lang.IllegalMonitorStateException', 'current thread is not owner'),
      'notify()': (rt) => rt.fail('java.lang.IllegalMonitorStateException', 'current thread is not owner'),
      'sleep(long)': function* (rt, _self: Value, [milliseconds]: [bigint]) {
        return yield* rt.callStatic(rt.class('Thread'), 'sleep', [milliseconds]);
      },
    },
  },
  {
    name: 'org.codehaus.groovy.runtime.NullObject',
    property: (rt, _self: Value, name) =>
      rt.fail('java.lang.NullPointerException', `Cannot get property '${name}' on null object`),
    methods: {
      'is(Object)': (_rt, _self: Value, [other]: [Value]) => other === null,
      '$missing(String, Object[])': (rt, _self: Value, [name, args]: [string, ArrayValue]) =>
        rt.call(null, name, args.items),
    },
  },
  {
    name: 'java.lang.Comparable',
    kind: 'interface',
    sam: 'compareTo',
    methods: { 'compareTo(Object)': (rt, self: Value, [other]: [Value]) => compareTo(rt, self, other) },
  },
  {
    name: 'groovy.lang.GString',
    methods: {
      'getStrings()': (rt, self: GString) => new ArrayValue(rt.class('String'), [...self.strings]),
      'getValues()': (_rt, self: GString) => new ArrayValue(OBJECT, [...self.values]),
      'getValue(int)': (rt, self: GString, [index]: [number]) =>
        self.values[index] ??
        (index in self.values
          ? null
          : rt.fail(
              'java.lang.ArrayIndexOutOfBoundsException',
              `Index ${index} out of bounds for length ${self.values.length}`,
            )),
      'getValueCount()': (_rt, self: GString) => self.values.length,
      'plus(GString)': (rt, self: GString, [other]: [GString]) => rt.operator('plus', self, other),
      'toString()': (_rt, self: GString) => self.text(),
      'clone()': (rt, self: GString) => rt.fail('java.lang.CloneNotSupportedException', rt.classOf(self).name),
    },
  },
];

/** A value that is no collection is walked over as one element. */
function* loneIterator(rt: Runtime, self: Value): Steps {
  const type = rt.classOf(self);
  const isOne = type.declared !== null || LONE.test(type.name);
  if (!isOne || (self instanceof JavaClass && self.supertypes.has(ENUM)))
    notAvailable(rt, `iterator() of ${type.name}`);
  return yield* rt.call(yield* rt.callStatic(rt.class('java.util.Collections'), 'singleton', [self]), 'iterator', []);
}

/** Classes whose objects are surely no collections. */
const LONE = /^(?:java\.(?:lang|math|time)\.|java\.util\.Date$|groovy\.lang\.)/;

/** A lone list stands for the arguments. */
function formatArguments({ items }: ArrayValue): readonly Value[] {
  const [first] = items;
  return items.length === 1 && first instanceof List ? first.items : items;
}

function compareTo(rt: Runtime, self: Value, other: Value): number {
  const own = rt.classOf(self);
  if (other === null) {
    const field = COMPARED.get(own.simpleName);
    const reason = field === undefined ? null : `Cannot read field "value" because "${field}" is null`;
    rt.fail('java.lang.NullPointerException', reason);
  }
  const wanted = isNumber(self) && isNumber(other) ? null : own;
  if (own.declared === null && wanted !== null && !rt.isInstance(other, wanted) && !(other instanceof GString))
    castFailure(rt, other, own);
  return rt.compare(self, other);
}

/** Names of parameters that Java's messages show. */
const COMPARED: ReadonlyMap<string, string> = new Map([
  ['String', 'anotherString'],
  ['Integer', 'anotherInteger'],
  ['Long', 'anotherLong'],
]);

function castFailure(rt: Runtime, value: Value, type: JavaClass): never {
  const [from, to] = [rt.classOf(value).name, type.name];
  return rt.fail(
    'java.lang.ClassCastException',
    `class ${from} cannot be cast to class ${to} (${from} and ${to} are in module java.base of loader 'bootstrap')`,
  );
}

/** `new Object()` */
class Plain {
  get javaClass(): JavaClass {
    return OBJECT;
  }
  text(): string {
    return `java.lang.Object@${identityOf(this).toString(16)}`;
  }
}

/** Properties that a script declares by a getter alone. */
function declaredGetters(self: JavaClass): string[] {
  return [...self.supertypes]
    .filter((type) => type.declared !== null)
    .flatMap((type) => [...type.methods])
    .filter(([name, overloads]) => /^get[A-Z]/.test(name) && overloads.some((each) => each.parameters.length === 0))
    .map(([name]) => name[3]!.toLowerCase() + name.slice(4))
    .filter((name) => name !== 'metaClass' && name !== 'class');
}

function notAvailable(rt: Runtime, what: string): never {
  return rt.fail('java.lang.UnsupportedOperationException', `${what} is not available`);
}

function* propertiesMap(core: Core, self: Value) {
  const map = new GMap();
  const type = core.classOf(self);
  // Only the properties of script classes and of gateway objects are known in full.
  const isForeign = type.declared === null ? !type.name.startsWith('org.forgerock.') : type.supertypes.has(SCRIPT);
  if (isForeign) notAvailable(core, `the map of the properties of ${type.name}`);
  for (const type of core.classOf(self).supertypes) {
    const declared = type.declared as { fields?: Map<string, { isStatic: boolean; isProperty: boolean }> } | null;
    for (const [name, field] of declared?.fields ?? []) {
      if (field.isProperty && !field.isStatic) map.put(name, yield* core.get(self, name));
    }
  }
  for (const name of declaredGetters(core.classOf(self)))
    if (!map.has(name)) map.put(name, yield* core.get(self, name));
  map.put('class', core.classOf(self));
  return map;
}
