import { Closure, Functional, RESOLVE } from '../../values/closure.ts';
import { ArrayValue, GMap, List } from '../../values/collections.ts';
import { CLOSURE } from '../../values/core-classes.ts';
import { CLASS, type ClassSpec, JavaClass, OBJECT, type Runtime, type Value } from '../../values/java-class.ts';
import { classFor } from '../coercion.ts';
import { type Core, settle } from '../core.ts';
import { declaredOf, fieldsOf, type Instance } from '../instance.ts';
import { MetaClass } from '../meta-class.ts';
import type { MetaProperty } from '../meta-property.ts';

/** A closure that calls another with other arguments. */
function derived(
  self: Closure,
  removed: number,
  code: (args: readonly Value[]) => readonly Value[],
  types = self.shape.types.slice(removed),
): Closure {
  const most = self.shape.types.length;
  if (!self.shape.isVariadic && removed > most)
    self.rt.fail(
      'java.lang.IllegalArgumentException',
      `Can't curry ${removed} arguments for a closure with ${most} parameters.`,
    );
  const shape = { types, isVariadic: false, hasImplicitIt: false, required: Math.max(0, types.length) };
  const closure = new Closure(
    self.rt,
    (_closure, args) => self.rt.invoke(self, code(args)),
    self.owner,
    self.thisObject,
    shape,
    CLOSURE,
  );
  closure.delegate = self.delegate;
  return closure;
}

function chained(first: Value, second: Value, rt: Runtime, self: Closure): Closure {
  const shape = { types: [OBJECT], isVariadic: true, hasImplicitIt: false, required: 0 };
  const arity = { ...shape, types: [rt.class('Object[]')] };
  return new Closure(
    rt,
    function* (_closure, args) {
      const [packed] = args;
      return yield* rt.invoke(second, [yield* rt.invoke(first, packed instanceof ArrayValue ? packed.items : args)]);
    },
    self.owner,
    self.thisObject,
    arity,
    CLOSURE,
  );
}

/** Remembers results; of more than `most`, the one that was used longest ago is forgotten. */
function memoized(rt: Runtime, self: Closure, most: number): Closure {
  if (most < 0)
    rt.fail(
      'java.lang.IllegalArgumentException',
      'A non-negative number is required as the maxCacheSize parameter for memoizeAtMost.',
    );
  const results = new GMap();
  return new Closure(
    rt,
    function* (_closure, args) {
      const key = new List([...args]);
      const known = results.get(key);
      const value = known === undefined ? yield* rt.invoke(self, args) : known;
      if (known === undefined) rt.budget.allocate(64);
      else results.delete(key);
      results.put(key, value);
      if (results.size > most) {
        rt.budget.spend(results.size);
        results.delete(results.entries()[0]!.entryKey);
      }
      return value;
    },
    self.owner,
    self.thisObject,
    self.shape,
    CLOSURE,
  );
}

/** Calls a closure again for as long as it returns a closure. */
function* trampoline(rt: Runtime, closure: Closure, args: readonly Value[]) {
  let result: Value = yield* rt.invoke(closure, args);
  while (result instanceof Closure) result = yield* rt.invoke(result, []);
  return result;
}

export const languageClasses: readonly ClassSpec[] = [
  {
    name: 'groovy.lang.Closure',
    interfaces: ['java.util.concurrent.Callable'],
    constants: {
      OWNER_FIRST: RESOLVE.ownerFirst,
      DELEGATE_FIRST: RESOLVE.delegateFirst,
      OWNER_ONLY: RESOLVE.ownerOnly,
      DELEGATE_ONLY: RESOLVE.delegateOnly,
      TO_SELF: RESOLVE.toSelf,
      IDENTITY: (rt) => identityClosure(rt),
    },
    methods: {
      'call(Object...)': (rt, self: Closure, [args]: [ArrayValue]) => rt.invoke(self, args.items),
      'run()': (rt, self: Closure) => rt.invoke(self, []),
      'isCase(Object)': function* (rt, self: Closure, [item]: [Value]) {
        return rt.truth(yield* rt.invoke(self, [item]));
      },
      'getOwner()': (_rt, self: Closure) => self.owner,
      'getDelegate()': (_rt, self: Closure) => self.delegate,
      'getThisObject()': (_rt, self: Closure) => self.thisObject,
      'setDelegate(Object)': (_rt, self: Closure, [value]: [Value]) => {
        self.delegate = value;
        return null;
      },
      'getResolveStrategy()': (_rt, self: Closure) => self.resolveStrategy,
      'setResolveStrategy(int)': (_rt, self: Closure, [value]: [number]) => {
        self.resolveStrategy = value;
        return null;
      },
      'getMaximumNumberOfParameters()': (_rt, self: Closure) => self.parameterCount,
      'getParameterTypes()': (rt, self: Closure) =>
        self.shape.most === undefined
          ? new ArrayValue(CLASS, [...self.shape.types])
          : rt.fail(
              'java.lang.UnsupportedOperationException',
              'the method getParameterTypes of a method pointer is not available',
            ),
      'curry(Object...)': (_rt, self: Closure, [args]: [ArrayValue | null]) => {
        const items = args?.items ?? [null];
        return derived(self, items.length, (more) => [...items, ...more]);
      },
      'rcurry(Object...)': (_rt, self: Closure, [args]: [ArrayValue]) =>
        derived(
          self,
          0,
          (more) => [...more, ...args.items],
          self.shape.types.slice(0, Math.max(0, self.shape.types.length - args.items.length)),
        ),
      'ncurry(int, Object...)': (rt, self: Closure, [from, given]: [number, ArrayValue | null]) => {
        const { types, isVariadic } = self.shape;
        const args = given ?? new ArrayValue(OBJECT, [null]);
        const at = from < 0 && !isVariadic ? from + types.length : from;
        const last = types.length - args.items.length;
        if (!isVariadic && last >= 0 && at > last)
          rt.fail(
            'java.lang.IllegalArgumentException',
            `To curry ${args.items.length} argument(s) expect index range 0..${last} but found ${at}`,
          );
        return derived(self, 0, (more) => [...more.slice(0, at), ...args.items, ...more.slice(at)], [
          ...types.slice(0, at),
          ...types.slice(at + args.items.length),
        ]);
      },
      'rightShift(Closure)': (rt, self: Closure, [next]: [Closure]) => chained(self, next, rt, self),
      'leftShift(Closure)': (rt, self: Closure, [first]: [Closure]) => chained(first, self, rt, self),
      'leftShift(Object)': (rt, self: Closure, [value]: [Value]) => rt.invoke(self, [value]),
      'andThen(Closure)': (rt, self: Closure, [next]: [Closure]) => chained(self, next, rt, self),
      'compose(Closure)': (rt, self: Closure, [first]: [Closure]) => chained(first, self, rt, self),
      'memoize()': (rt, self: Closure) => memoized(rt, self, Number.POSITIVE_INFINITY),
      'memoizeAtLeast(int)': (rt, self: Closure) => memoized(rt, self, Number.POSITIVE_INFINITY),
      'memoizeAtMost(int)': (rt, self: Closure, [most]: [number]) => memoized(rt, self, most),
      'memoizeBetween(int, int)': (rt, self: Closure, [, most]: [number, number]) => memoized(rt, self, most),
      'trampoline()': (rt, self: Closure) =>
        new Closure(
          rt,
          (_closure, args) => trampoline(rt, self, args),
          self.owner,
          self.thisObject,
          self.shape,
          CLOSURE,
        ),
      'trampoline(Object...)': (rt, self: Closure, [args]: [ArrayValue]) =>
        new Closure(
          rt,
          () => rt.invoke(self, args.items),
          self.owner,
          self.thisObject,
          { ...self.shape, types: [] },
          CLOSURE,
        ),
      'clone()': (_rt, self: Closure) => cloneOf(self),
      'rehydrate(Object, Object, Object)': (
        _rt,
        self: Closure,
        [delegate, owner, thisObject]: [Value, Value, Value],
      ) => {
        const copy = new Closure(self.rt, self.code, owner, thisObject, self.shape, self.javaClass);
        copy.delegate = delegate;
        return copy;
      },
      'dehydrate()': (_rt, self: Closure) => new Closure(self.rt, self.code, null, null, self.shape, self.javaClass),
    },
  },
  {
    name: 'java.lang.Class',
    methods: {
      'getName()': (_rt, self: JavaClass) => self.name,
      'getSimpleName()': (_rt, self: JavaClass) => self.simpleName,
      'getTypeName()': (_rt, self: JavaClass) => (self.component === null ? self.name : `${self.component.name}[]`),
      'getCanonicalName()': (_rt, self: JavaClass) => self.name.replaceAll('$', '.'),
      'getPackageName()': (_rt, self: JavaClass) => self.name.slice(0, Math.max(0, self.name.lastIndexOf('.'))),
      'getSuperclass()': (_rt, self: JavaClass) => self.superclass,
      // Classes of the library have fewer interfaces here than in Java.
      'getInterfaces()': (rt, self: JavaClass) =>
        self.declared === null
          ? rt.fail(
              'java.lang.UnsupportedOperationException',
              'the method getInterfaces of java.lang.Class is not available',
            )
          : new ArrayValue(CLASS, [...self.interfaces]),
      'getPackage()': (rt, self: JavaClass) =>
        new Package(rt, self.name.slice(0, Math.max(0, self.name.lastIndexOf('.')))),
      'isInterface()': (_rt, self: JavaClass) => self.isInterface,
      'isEnum()': (_rt, self: JavaClass) => self.isEnum,
      'isArray()': (_rt, self: JavaClass) => self.component !== null,
      'isPrimitive()': (_rt, self: JavaClass) =>
        self.superclass === null && !self.name.includes('.') && self.declared === null,
      'getComponentType()': (_rt, self: JavaClass) => self.component,
      'isInstance(Object)': (rt, self: JavaClass, [value]: [Value]) => rt.isInstance(value, self),
      'isAssignableFrom(Class)': (_rt, self: JavaClass, [other]: [JavaClass]) => self.isAssignableFrom(other),
      'isCase(Object)': (rt, self: JavaClass, [value]: [Value]) =>
        value instanceof JavaClass ? self.isAssignableFrom(value) : rt.isInstance(value, self),
      'cast(Object)': (rt, self: JavaClass, [value]: [Value]) =>
        value === null || rt.isInstance(value, self)
          ? value
          : rt.fail('java.lang.ClassCastException', `Cannot cast ${rt.classOf(value).name} to ${self.name}`),
      'newInstance()': (rt, self: JavaClass) => rt.construct(self, []),
      'newInstance(Object...)': (rt, self: JavaClass, [args]: [ArrayValue]) => rt.construct(self, args.items),
      'getEnumConstants()': (_rt, self: JavaClass) => new ArrayValue(self, [...(declaredOf(self)?.constants ?? [])]),
      'getMetaClass()': (rt, self: JavaClass) => new MetaClass(rt as Core, self),
      'isAnnotationPresent(Class)': () => false,
      'desiredAssertionStatus()': () => true,
    },
    statics: {
      'forName(String)': (rt, _self: Value, [name]: [string | null]) =>
        name === null ? rt.fail('java.lang.NullPointerException') : classFor(rt as Core, name),
    },
  },
  { name: 'java.lang.Package', methods: { 'getName()': (_rt, self: Package) => self.name } },
  { name: 'groovy.lang.MetaBeanProperty', methods: { 'getName()': (_rt, self: MetaProperty) => self.name } },
  { name: 'org.codehaus.groovy.runtime.HandleMetaClass', interfaces: ['groovy.lang.MetaClass'] },
  {
    name: 'groovy.lang.MetaClass',
    kind: 'interface',
    property: (rt, self: MetaClass, name) =>
      name === 'static'
        ? new MetaClass(rt as Core, self.type, true)
        : ['methods', 'properties', 'metaMethods'].includes(name) || !/^(?:class|theClass|metaClass)$/.test(name)
          ? rt.fail('java.lang.UnsupportedOperationException', `${name} of a metaClass is not available`)
          : undefined,
    setProperty: (_rt, self: MetaClass, name, value) => {
      self.add(name, value);
      return true;
    },
    methods: {
      'leftShift(Object)': (_rt, self: MetaClass) => self,
      'respondsTo(Object, String)': (rt, _self: MetaClass, [value, name]: [Value, string]) =>
        new List((rt as Core).methods(rt.classOf(value), name).map((each) => each.name)),
      'hasProperty(Object, String)': (rt, _self: MetaClass, [value, name]: [Value, string]) =>
        (rt as Core).getter(rt.classOf(value), name) === null ? null : name,
      'invokeMethod(Object, String, Object[])': (
        rt,
        _self: MetaClass,
        [value, name, args]: [Value, string, ArrayValue],
      ) => rt.call(value, name, args.items),
      'getProperty(Object, String)': (rt, _self: MetaClass, [value, name]: [Value, string]) =>
        (value === null || typeof value !== 'object' ? undefined : fieldsOf(value).get(name)) ?? rt.get(value, name),
      'getTheClass()': (_rt, self: MetaClass) => self.type,
      'mixin(Object...)': (rt) => rt.fail('java.lang.UnsupportedOperationException', 'mixin is not available'),
    },
  },
  { name: 'org.codehaus.groovy.runtime.MethodClosure', superclass: 'groovy.lang.Closure' },
  {
    name: 'groovy.lang.MetaClassRegistry',
    kind: 'interface',
    methods: {
      'removeMetaClass(Class)': (rt, _self: Value, [type]: [JavaClass]) => void (rt as Core).expandos.delete(type),
    },
  },
  {
    name: 'groovy.lang.GroovySystem',
    constants: {
      metaClassRegistry: (rt) =>
        new Functional(rt.class('groovy.lang.MetaClassRegistry'), 0, () => rt.invoke(null, [])),
    },
    statics: { 'getVersion()': () => '4.0.27' },
  },
  {
    name: 'java.lang.Enum',
    methods: {
      'name()': (_rt, self: Instance) => self.fields.get('$name')!,
      'ordinal()': (_rt, self: Instance) => self.fields.get('$ordinal')!,
      'getDeclaringClass()': (_rt, self: Instance) =>
        self.javaClass.isEnum ? self.javaClass : self.javaClass.superclass,
      'next()': (_rt, self: Instance) => neighbour(self, 1),
      'previous()': (_rt, self: Instance) => neighbour(self, -1),
    },
  },
];

function neighbour(self: Instance, by: number): Value {
  const all = declaredOf(self.javaClass)?.constants ?? declaredOf(self.javaClass.superclass!)!.constants;
  return all[((self.fields.get('$ordinal') as number) + by + all.length) % all.length]!;
}

function cloneOf(self: Closure): Closure {
  const copy = new Closure(self.rt, self.code, self.owner, self.thisObject, self.shape, self.javaClass);
  copy.delegate = self.delegate;
  copy.resolveStrategy = self.resolveStrategy;
  return copy;
}

function identityClosure(rt: Runtime): Closure {
  return new Closure(
    rt,
    function* (_closure, args) {
      return yield* settle(args[0] ?? null);
    },
    null,
    null,
  );
}

/** The package of a class. */
class Package {
  readonly javaClass: JavaClass;
  readonly name: string;
  constructor(rt: Runtime, name: string) {
    this.javaClass = rt.class('java.lang.Package');
    this.name = name;
  }
  text(): string {
    return `package ${this.name}`;
  }
}
