import { Closure } from '../../values/closure.ts';
import { type ArrayValue, GMap, List } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import { isWalkable, itemsNow } from '../collections/walk.ts';
import { Plain } from '../encoding/encoding-classes.ts';
import { type JsonManners, JsonUnescaped, toJson } from './json-classes.ts';
import { prettyJson } from './json-writer.ts';

const DELEGATE = 'groovy.json.JsonDelegate';

/** The object that a closure of a builder calls: each call adds a member. */
class JsonDelegate implements Obj {
  readonly javaClass: JavaClass;
  readonly content = new GMap();

  constructor(rt: Runtime) {
    this.javaClass = rt.class(DELEGATE);
  }
}

/** Runs a closure that builds, with the element of a collection if there is one. */
function* built(rt: Runtime, closure: Closure, content = new GMap(), ...args: readonly Value[]): Steps {
  const delegate = new JsonDelegate(rt);
  for (const entry of content.entries()) delegate.content.put(entry.entryKey, entry.value);
  rt.budget.allocate(128);
  yield* rt.invoke(closure.delegatingTo(delegate), args);
  return delegate.content;
}

const isSequence = (value: Value): boolean =>
  value instanceof List || (!(value instanceof GMap) && typeof value !== 'string' && isWalkable(value));

function* builtList(rt: Runtime, items: Value, closure: Closure): Steps {
  const out: Value[] = [];
  for (const item of itemsNow(rt, items)) out.push(yield* built(rt, closure, new GMap(), item));
  return new List(out);
}

/** The value of a member: of one argument, of a collection and a closure, or a list of all arguments. */
function* memberOf(rt: Runtime, args: readonly Value[]): Steps {
  const [first = null, second] = args;
  if (args.length === 1) return first instanceof Closure ? yield* built(rt, first) : first;
  if (args.length === 2 && second instanceof Closure) {
    if (first instanceof GMap) return yield* built(rt, second, first);
    return isSequence(first) ? yield* builtList(rt, first, second) : yield* built(rt, second, new GMap(), first);
  }
  return new List([...args]);
}

const PROBLEM = 'Expected no arguments, a single map, a single closure, or a map and closure as arguments.';

/** The content of `builder.name(args)`. */
function* rootOf(rt: Runtime, name: string, args: readonly Value[]): Steps<GMap> {
  const root = new GMap();
  const [first, second] = args;
  const isFit =
    args.length === 0 ||
    (args.length === 1 && (first instanceof GMap || first instanceof Closure)) ||
    (args.length === 2 && second instanceof Closure && (first instanceof GMap || isSequence(first!)));
  if (!isFit) rt.fail('groovy.json.JsonException', PROBLEM);
  root.put(name, args.length === 0 ? new GMap() : yield* memberOf(rt, args));
  return root;
}

/** Content of a closure where JSON is written. */
export function contentOf(rt: Runtime, closure: Closure): Value {
  return rt.now(built(rt, closure));
}

/** A builder of JSON: in memory, or one that writes what it is given at once. */
class JsonBuilder implements Obj {
  readonly javaClass: JavaClass;
  readonly writer: Value;
  content: Value;
  readonly #rt: Runtime;

  constructor(rt: Runtime, className: string, content: Value, writer: Value = null) {
    this.javaClass = rt.class(className);
    this.content = content;
    this.writer = writer;
    this.#rt = rt;
  }

  text(): string {
    return this.writer === null ? this.json() : `${this.javaClass.name}@1`;
  }

  json(): string {
    return toJson(this.#rt, this.content, contentOf);
  }
}

function* put(rt: Runtime, self: JsonBuilder, content: Value): Steps {
  self.content = content;
  if (self.writer !== null) yield* rt.call(self.writer, 'append', [self.json()]);
  return content;
}

const callMethods: Readonly<Record<string, LibraryFunction>> = {
  'call(Map)': (rt, self: JsonBuilder, [content]: [Value]) => put(rt, self, content),
  'call(List)': (rt, self: JsonBuilder, [content]: [Value]) => put(rt, self, content),
  'call(Object...)': (rt, self: JsonBuilder, [items]: [ArrayValue]) => put(rt, self, new List([...items.items])),
  'call(Closure)': function* (rt: Runtime, self: JsonBuilder, [closure]: [Closure]): Steps {
    return yield* put(rt, self, yield* built(rt, closure));
  },
  'call(Iterable, Closure)': function* (rt: Runtime, self: JsonBuilder, [items, closure]: [Value, Closure]): Steps {
    return yield* put(rt, self, yield* builtList(rt, items, closure));
  },
  '$missing(String, Object[])': function* (rt: Runtime, self: JsonBuilder, [name, args]: [string, ArrayValue]): Steps {
    return yield* put(rt, self, yield* rootOf(rt, name, args.items));
  },
};

const BUILDER = 'groovy.json.JsonBuilder';
const STREAMING = 'groovy.json.StreamingJsonBuilder';
const OPTIONS = 'groovy.json.JsonGenerator$Options';
const GENERATOR = 'groovy.json.DefaultJsonGenerator';

/** Options are changed in place until a generator is built from them. */
interface Options {
  excludesNulls: boolean;
  excludedNames: string[];
  escapesUnicode: boolean;
  dateFormat: string | null;
  readonly converters: { readonly type: JavaClass; readonly run: Value }[];
}

type OptionsValue = Plain<Options>;

function mannersOf(options: Options): JsonManners {
  const { dateFormat } = options;
  return {
    excludesNulls: options.excludesNulls,
    excludedNames: [...options.excludedNames],
    escapesUnicode: options.escapesUnicode,
    date: dateFormat === null ? null : (rt, value) => rt.text(rt.now(rt.call(value, 'format', [dateFormat]))),
    convert: (rt, value) => {
      const found = value === null ? undefined : options.converters.find(({ type }) => rt.isInstance(value, type));
      return found === undefined ? value : rt.now(rt.invoke(found.run, [value]));
    },
  };
}

const option =
  (change: (options: Options, args: readonly Value[], rt: Runtime) => void): LibraryFunction =>
  (rt: Runtime, self: OptionsValue, args: readonly Value[]) => {
    change(self.state, args, rt);
    return self;
  };

export const jsonBuilderClasses: readonly ClassSpec[] = [
  {
    name: DELEGATE,
    methods: {
      '$missing(String, Object[])': function* (
        rt: Runtime,
        self: JsonDelegate,
        [name, args]: [string, ArrayValue],
      ): Steps {
        const value = yield* memberOf(rt, args.items);
        rt.budget.allocate(64);
        self.content.put(name, value);
        return value;
      },
      'getContent()': (_rt, self: JsonDelegate) => self.content,
    },
  },
  { name: 'groovy.json.JsonOutput$JsonUnescaped', interfaces: ['java.lang.CharSequence'] },
  {
    name: 'groovy.json.JsonOutput',
    statics: {
      'toJson(Object)': (rt, _self: Value, [value]: [Value]) =>
        value instanceof JsonBuilder && value.writer === null ? value.json() : toJson(rt, value, contentOf),
      'unescaped(CharSequence)': (rt, _self: Value, [text]: [Value]) => new JsonUnescaped(rt, rt.text(text)),
      'prettyPrint(String)': (rt, _self: Value, [text]: [string | null]) => {
        if (text === null) return rt.fail('java.lang.NullPointerException', null);
        return prettyJson(rt, text);
      },
    },
  },
  {
    name: BUILDER,
    constructors: {
      '()': (rt) => new JsonBuilder(rt, BUILDER, null),
      '(Object)': (rt, _self: Value, [content]: [Value]) => new JsonBuilder(rt, BUILDER, content),
    },
    methods: {
      ...callMethods,
      'getContent()': (_rt, self: JsonBuilder) => self.content,
      'toPrettyString()': (rt, self: JsonBuilder) => prettyJson(rt, self.json()),
      'writeTo(Writer)': (rt, self: JsonBuilder, [writer]: [Value]) => rt.call(writer, 'append', [self.json()]),
    },
  },
  {
    name: STREAMING,
    constructors: {
      '(Writer)': (rt, _self: Value, [writer]: [Value]) => new JsonBuilder(rt, STREAMING, null, writer),
      '(Writer, Object)': function* (rt: Runtime, _self: Value, [writer, content]: [Value, Value]): Steps {
        const builder = new JsonBuilder(rt, STREAMING, null, writer);
        yield* put(rt, builder, content);
        return builder;
      },
    },
    methods: { ...callMethods, 'getWriter()': (_rt, self: JsonBuilder) => self.writer },
  },
  {
    name: OPTIONS,
    constructors: {
      '()': (rt) =>
        new Plain<Options>(rt, OPTIONS, {
          excludesNulls: false,
          excludedNames: [],
          escapesUnicode: true,
          dateFormat: null,
          converters: [],
        }),
    },
    methods: {
      'excludeNulls()': option((options) => {
        options.excludesNulls = true;
      }),
      'excludeFieldsByName(CharSequence...)': option((options, [names], rt) => {
        options.excludedNames.push(...itemsNow(rt, names!).map((name) => rt.text(name)));
      }),
      'excludeFieldsByName(Iterable)': option((options, [names], rt) => {
        options.excludedNames.push(...itemsNow(rt, names!).map((name) => rt.text(name)));
      }),
      'disableUnicodeEscaping()': option((options) => {
        options.escapesUnicode = false;
      }),
      'dateFormat(String)': option((options, [format]) => {
        options.dateFormat = format as string;
      }),
      'addConverter(Class, Closure)': option((options, [type, run]) => {
        options.converters.push({ type: type as JavaClass, run: run! });
      }),
      'build()': (rt, self: OptionsValue) => new Plain(rt, GENERATOR, mannersOf(self.state)),
    },
  },
  { name: 'groovy.json.JsonGenerator', kind: 'interface' },
  {
    name: GENERATOR,
    interfaces: ['groovy.json.JsonGenerator'],
    methods: {
      'toJson(Object)': (rt, self: Plain<JsonManners>, [value]: [Value]) => toJson(rt, value, contentOf, self.state),
    },
  },
];
