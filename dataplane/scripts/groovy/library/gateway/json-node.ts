import { unescapedStep } from '../../../../../contract/crest/json-pointer.ts';
import { type ArrayValue, Entry, GMap, GSet, List } from '../../values/collections.ts';
import { isNumber, toDouble, toInt, toLong } from '../../values/conversions.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { chargeItems } from '../../values/meter.ts';
import { Double } from '../../values/numbers.ts';
import { textOf } from '../../values/text.ts';
import type { Cursor } from '../collections/cursors.ts';
import { JavaIterator } from '../collections/walk.ts';
import { UriValue } from '../encoding/uri-classes.ts';

const JSON_VALUE = 'org.forgerock.json.JsonValue';
/** Memory of a node, about. */
const NODE_BYTES = 96;

/** A value with its place in a JSON structure. */
export class JsonNode implements Obj {
  readonly javaClass: JavaClass;
  readonly object: Value;
  readonly pointer: string;
  readonly #rt: Runtime;

  constructor(rt: Runtime, object: Value, pointer = '') {
    this.#rt = rt;
    this.javaClass = rt.class(JSON_VALUE);
    this.object = object instanceof JsonNode ? object.object : object;
    this.pointer = pointer;
  }

  text(): string {
    return jsonText(this.object);
  }

  /** Elements as a walk sees them: each with its place. */
  elements(): Value[] {
    const plain = this.plainElements();
    chargeItems(plain.length, NODE_BYTES);
    return plain.map((element) => this.element(element));
  }

  element([key, value]: readonly [key: string, value: Value]): JsonNode {
    return new JsonNode(this.#rt, value, `${this.pointer}/${key}`);
  }

  get size(): number {
    const { object } = this;
    if (object instanceof List) return object.items.length;
    return object instanceof GMap ? object.size : 0;
  }

  plainElements(): [string, Value][] {
    if (this.object instanceof List) return this.object.items.map((item, at) => [String(at), item]);
    if (!(this.object instanceof GMap)) return [];
    return this.object.entries().map((entry) => [textOf(entry.entryKey), entry.value]);
  }
}

/** Makes nodes as they are asked for: whoever stops early has not waited for the others. */
function nodeCursor(node: JsonNode): Cursor {
  const { object } = node;
  let at = 0;
  if (object instanceof List) {
    const { items } = object;
    return { hasNext: () => at < items.length, next: () => node.element([String(at), items[at++]!]) };
  }
  const plain = node.plainElements();
  return { hasNext: () => at < plain.length, next: () => node.element(plain[at++]!) };
}

const DEEPEST = 200;

/** JSON with blanks, as JsonValue shows itself; values that JSON does not have stand in quotes. */
function jsonText(value: Value, depth = 0): string {
  if (depth > DEEPEST) return '...';
  if (value instanceof JsonNode) return jsonText(value.object, depth);
  if (value === null || typeof value === 'boolean' || isNumber(value)) return textOf(value);
  if (value instanceof GMap) {
    const members = value
      .entries()
      .map((entry) => `${quoted(textOf(entry.entryKey))}: ${jsonText(entry.value, depth + 1)}`);
    return `{ ${members.join(', ')} }`;
  }
  const items = value instanceof List ? value.items : value instanceof GSet ? value.items() : null;
  if (items !== null) return `[ ${items.map((item) => jsonText(item, depth + 1)).join(', ')} ]`;
  return quoted(textOf(value, null, 'java'));
}

const quoted = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;

function child(rt: Runtime, self: JsonNode, key: Value): JsonNode {
  const { object } = self;
  const name = rt.text(key);
  const at = `${self.pointer}/${name}`;
  if (object instanceof GMap) return new JsonNode(rt, object.get(name) ?? null, at);
  if (object instanceof List && /^\d+$/.test(name)) return new JsonNode(rt, object.items[Number(name)] ?? null, at);
  return new JsonNode(rt, null, at);
}

function follow(rt: Runtime, self: JsonNode, pointer: string): JsonNode {
  const steps = pointer
    .replace(/^\//, '')
    .split('/')
    .filter((step) => step !== '');
  return steps.reduce((node, step) => child(rt, node, unescapedStep(step)), self);
}

function typed<T>(rt: Runtime, self: JsonNode, type: string, convert: (value: Value) => T | undefined): T | null {
  if (self.object === null) return null;
  return convert(self.object) ?? expecting(rt, self, `a ${type}`);
}

function expecting(rt: Runtime, self: JsonNode, what: string): never {
  return rt.fail('org.forgerock.json.JsonValueException', `${shownPointer(self)}: Expecting ${what}`);
}

const shownPointer = ({ pointer }: JsonNode): string => (pointer === '' ? '/' : pointer);

/** The list, if all elements that are not null are of a class. */
function listOf(rt: Runtime, self: JsonNode, type: JavaClass): Value {
  const list = typed(rt, self, 'java.util.List', (value) => (value instanceof List ? value : undefined));
  const isFit = list?.items.every((item) => item === null || rt.isInstance(item, type)) ?? true;
  return isFit ? list : expecting(rt, self, `a List of ${type.name} elements`);
}

function mapOf(rt: Runtime, self: JsonNode, type: JavaClass): Value {
  const map = typed(rt, self, 'java.util.Map', (value) => (value instanceof GMap ? value : undefined));
  const isFit = map?.entries().every(({ value }) => value === null || rt.isInstance(value, type)) ?? true;
  return isFit ? map : expecting(rt, self, `a Map of ${type.name} elements`);
}

/** The same value without a place. */
const bare = (value: Value): Value => (value instanceof JsonNode ? value.object : value);

const put = (rt: Runtime, self: JsonNode, key: Value, value: Value): JsonNode => {
  const plain = value instanceof JsonNode ? value.object : value;
  if (self.object instanceof GMap) self.object.put(rt.text(key), plain);
  else if (self.object instanceof List && typeof key === 'number') self.object.items[key] = plain;
  else expecting(rt, self, 'a Map or List');
  rt.budget.allocate(64);
  return self;
};

const methods: Readonly<Record<string, LibraryFunction>> = {
  'get(String)': (rt, self: JsonNode, [key]: [string]) => child(rt, self, key),
  'get(int)': (rt, self: JsonNode, [key]: [number]) => child(rt, self, key),
  'get(org.forgerock.json.JsonPointer)': (rt, self: JsonNode, [pointer]: [Obj]) => follow(rt, self, rt.text(pointer)),
  'getAt(Object)': (rt, self: JsonNode, [key]: [Value]) => child(rt, self, key),
  'put(String, Object)': (rt, self: JsonNode, [key, value]: [string, Value]) => put(rt, self, key, value),
  'put(int, Object)': (rt, self: JsonNode, [key, value]: [number, Value]) => put(rt, self, key, value),
  'add(String, Object)': (rt, self: JsonNode, [key, value]: [string, Value]) => put(rt, self, key, value),
  'add(Object)': (rt, self: JsonNode, [value]: [Value]) => {
    if (!(self.object instanceof List)) return rt.fail('org.forgerock.json.JsonValueException', '/: Expecting a List');
    self.object.items.push(value);
    return self;
  },
  'remove(String)': (rt, self: JsonNode, [key]: [string]) => {
    if (self.object instanceof GMap) self.object.delete(key);
    else rt.fail('org.forgerock.json.JsonValueException', '/: Expecting a Map');
  },
  'getObject()': (_rt, self: JsonNode) => self.object,
  'asString()': (rt, self: JsonNode) =>
    typed(rt, self, 'java.lang.String', (value) => (typeof value === 'string' ? value : undefined)),
  'asInteger()': (rt, self: JsonNode) =>
    typed(rt, self, 'java.lang.Number', (value) => (isNumber(value) ? toInt(value) : undefined)),
  'asLong()': (rt, self: JsonNode) =>
    typed(rt, self, 'java.lang.Number', (value) => (isNumber(value) ? toLong(value) : undefined)),
  'asDouble()': (rt, self: JsonNode) =>
    typed(rt, self, 'java.lang.Number', (value) => (isNumber(value) ? new Double(toDouble(value)) : undefined)),
  'asNumber()': (rt, self: JsonNode) =>
    typed<Value>(rt, self, 'java.lang.Number', (value) => (isNumber(value) ? value : undefined)),
  'asBoolean()': (rt, self: JsonNode) =>
    typed(rt, self, 'java.lang.Boolean', (value) => (typeof value === 'boolean' ? value : undefined)),
  'asMap()': (rt, self: JsonNode) =>
    typed(rt, self, 'java.util.Map', (value) => (value instanceof GMap ? value : undefined)),
  'asList()': (rt, self: JsonNode) =>
    typed(rt, self, 'java.util.List', (value) => (value instanceof List ? value : undefined)),
  'asList(Class)': (rt, self: JsonNode, [type]: [JavaClass]) => listOf(rt, self, type),
  'asMap(Class)': (rt, self: JsonNode, [type]: [JavaClass]) => mapOf(rt, self, type),
  'asCollection()': (rt, self: JsonNode) =>
    typed(rt, self, 'java.util.Collection', (value) =>
      value instanceof List || value instanceof GSet ? value : undefined,
    ),
  'asSet()': (rt, self: JsonNode) =>
    typed(rt, self, 'java.util.Collection', (value) => {
      if (value instanceof GSet) return value;
      return value instanceof List ? new GSet(value.items) : undefined;
    }),
  'isCollection()': (_rt, self: JsonNode) => self.object instanceof List || self.object instanceof GSet,
  'isSet()': (_rt, self: JsonNode) => self.object instanceof GSet,
  'expect(Class)': (rt, self: JsonNode, [type]: [JavaClass]) =>
    self.object === null || rt.isInstance(self.object, type) ? self : expecting(rt, self, `a ${type.name}`),
  'as(org.forgerock.util.Function)': (rt, self: JsonNode, [run]: [Value]) => rt.invoke(run, [self]),
  'isEqualTo(org.forgerock.json.JsonValue)': (rt, self: JsonNode, [other]: [JsonNode]) =>
    rt.javaEquals(self.object, other.object),
  'iterator()': (rt, self: JsonNode) => new JavaIterator(rt, nodeCursor(self)),
  'stream()': (rt, self: JsonNode) => rt.call(new List(self.elements()), 'stream', []),
  'clone()': (rt, self: JsonNode) => new JsonNode(rt, shallow(self.object), self.pointer),
  'clear()': (_rt, self: JsonNode) => {
    if (self.object instanceof GMap) self.object.clear();
    else if (self.object instanceof List) self.object.items.length = 0;
  },
  'asURI()': (rt, self: JsonNode) =>
    typed(rt, self, 'java.lang.String', (value) => (typeof value === 'string' ? new UriValue(rt, value) : undefined)),
  'isNull()': (_rt, self: JsonNode) => self.object === null,
  'isNotNull()': (_rt, self: JsonNode) => self.object !== null,
  'isString()': (_rt, self: JsonNode) => typeof self.object === 'string',
  'isNumber()': (_rt, self: JsonNode) => isNumber(self.object),
  'isBoolean()': (_rt, self: JsonNode) => typeof self.object === 'boolean',
  'isMap()': (_rt, self: JsonNode) => self.object instanceof GMap,
  'isList()': (_rt, self: JsonNode) => self.object instanceof List,
  'isDefined(String)': (_rt, self: JsonNode, [key]: [string]) => self.object instanceof GMap && self.object.has(key),
  'contains(Object)': (rt, self: JsonNode, [value]: [Value]) =>
    self.plainElements().some(([, item]) => rt.javaEquals(item, bare(value))),
  'keys()': (_rt, self: JsonNode) =>
    new GSet(self.object instanceof GMap ? self.object.entries().map((entry) => entry.entryKey) : []),
  'size()': (_rt, self: JsonNode) => self.size,
  'defaultTo(Object)': (rt, self: JsonNode, [value]: [Value]) =>
    self.object === null ? new JsonNode(rt, value, self.pointer) : self,
  'required()': (rt, self: JsonNode) => (self.object === null ? expecting(rt, self, 'a value') : self),
  'copy()': (rt, self: JsonNode) => new JsonNode(rt, copied(rt, self.object), self.pointer),
  'getPointer()': (rt, self: JsonNode) => new JsonPointer(rt, shownPointer(self)),
};

function shallow(value: Value): Value {
  if (value instanceof List) return new List([...value.items]);
  if (!(value instanceof GMap)) return value;
  const map = new GMap();
  for (const entry of value.entries()) map.put(entry.entryKey, entry.value);
  return map;
}

function copied(rt: Runtime, value: Value, depth = 0): Value {
  rt.budget.spend(1);
  rt.budget.allocate(64);
  if (depth > 300) return rt.fail('java.lang.StackOverflowError', null);
  if (value instanceof List) return new List(value.items.map((item) => copied(rt, item, depth + 1)));
  if (!(value instanceof GMap)) return value;
  const map = new GMap();
  for (const entry of value.entries()) map.put(entry.entryKey, copied(rt, entry.value, depth + 1));
  return map;
}

const statics: Readonly<Record<string, LibraryFunction>> = {
  'json(Object)': (rt, _self: Value, [value]: [Value]) => (value instanceof JsonNode ? value : new JsonNode(rt, value)),
  'object(java.util.Map$Entry...)': (_rt, _self: Value, [fields]: [ArrayValue]) => {
    const map = new GMap();
    for (const field of fields.items) if (field instanceof Entry) map.put(field.entryKey, field.value);
    return map;
  },
  'array(Object...)': (_rt, _self: Value, [items]: [ArrayValue]) => new List([...items.items]),
  'field(String, Object)': (_rt, _self: Value, [name, value]: [string, Value]) =>
    new Entry(name, value instanceof JsonNode ? value.object : value),
  'fieldIfNotNull(String, Object)': (_rt, _self: Value, [name, value]: [string, Value]) =>
    value === null ? null : new Entry(name, value),
  'set(Object...)': (_rt, _self: Value, [items]: [ArrayValue]) => new GSet(items.items),
};

/** A pointer into a JSON structure is told by its text. */
class JsonPointer implements Obj {
  readonly javaClass: JavaClass;
  readonly source: string;

  constructor(rt: Runtime, source: string) {
    this.javaClass = rt.class('org.forgerock.json.JsonPointer');
    this.source = source.startsWith('/') || source === '' ? source : `/${source}`;
  }

  text(): string {
    return this.source;
  }
}

/** Names that a getter of the class reads; all others are members. */
function isGetter({ javaClass }: JsonNode, name: string): boolean {
  const upper = name.charAt(0).toUpperCase() + name.slice(1);
  return ['get', 'is'].some((prefix) =>
    javaClass.methods.get(prefix + upper)?.some((each) => each.parameters.length === 0),
  );
}

export const jsonNodeClasses: readonly ClassSpec[] = [
  {
    name: JSON_VALUE,
    interfaces: ['java.lang.Iterable'],
    methods,
    statics,
    constructors: { '(Object)': (rt, _self: Value, [value]: [Value]) => new JsonNode(rt, value) },
    property: (rt, self: JsonNode, name) =>
      name === 'class' || isGetter(self, name) ? undefined : child(rt, self, name),
  },
  {
    name: 'org.forgerock.json.JsonPointer',
    constructors: { '(String)': (rt, _self: Value, [text]: [string]) => new JsonPointer(rt, text) },
    statics: { 'ptr(String)': (rt, _self: Value, [text]: [string]) => new JsonPointer(rt, text) },
  },
  { name: 'org.forgerock.json.JsonValueException', superclass: 'java.lang.RuntimeException' },
  { name: 'org.forgerock.json.JsonException', superclass: 'java.lang.RuntimeException' },
];
