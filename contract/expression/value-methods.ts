import { readMember } from './access.ts';
import { integerOf, longOf, numberOf } from './coercion.ts';
import { alike, keysOf as plainKeys } from './comparison.ts';
import type { Shape, Shapes } from './language.ts';
import { textOf } from './text.ts';
import { doubleOf, EvaluationError, isList, isPlainObject, type Value } from './value.ts';

type Method<T> = (self: T, given: readonly Value[], shapes: Shapes) => Value;

/** A method that expressions may call, with the number of its arguments. */
interface CountedMethod<T> {
  readonly count: number;
  readonly call: Method<T>;
}

const listMethods = table<readonly Value[]>([
  ['size', 0, (list) => list.length],
  ['isEmpty', 0, (list) => list.length === 0],
  ['get', 1, itemOf],
  ['contains', 1, (list, [item], shapes) => list.some((one) => alike(one, item!, shapes))],
  ['containsAll', 1, containsAll],
  ['indexOf', 1, (list, [item], shapes) => list.findIndex((one) => alike(one, item!, shapes))],
  ['lastIndexOf', 1, (list, [item], shapes) => list.findLastIndex((one) => alike(one, item!, shapes))],
  ['equals', 1, (list, [other], shapes) => alike(list, other!, shapes)],
  ['toString', 0, (list, _, shapes) => textOf(list, shapes)],
]);

const mapMethods = table<object>([
  ['size', 0, (map) => keysOf(map).length],
  ['isEmpty', 0, (map) => keysOf(map).length === 0],
  ['get', 1, (map, [key], shapes) => readMember(map, key!, shapes)],
  ['getOrDefault', 2, (map, [key, other], shapes) => (holds(map, key!) ? readMember(map, key!, shapes) : other!)],
  ['containsKey', 1, (map, [key]) => holds(map, key!)],
  ['containsValue', 1, (map, [item], shapes) => valuesOf(map).some((one) => alike(one, item!, shapes))],
  ['keySet', 0, (map) => keysOf(map)],
  ['values', 0, (map) => valuesOf(map)],
  ['equals', 1, (map, [other], shapes) => alike(map, other!, shapes)],
  ['toString', 0, (map, _, shapes) => textOf(map, shapes)],
]);

const numberMethods = table<Value>([
  ['toString', 0, (number) => textOf(number)],
  ['equals', 1, (number, [other], shapes) => alike(number, other!, shapes)],
  ['intValue', 0, (number) => integerOf(number)],
  ['longValue', 0, (number) => longOf(number)],
  ['doubleValue', 0, (number) => doubleOf(numberOf(number))],
]);

const booleanMethods = table<Value>([
  ['toString', 0, (truth) => textOf(truth)],
  ['equals', 1, (truth, [other]) => truth === other],
  ['booleanValue', 0, (truth) => truth],
]);

/** Calls a method of a list, a map, a number or a truth value. @throws EvaluationError when it has none of this name. */
export function callValueMethod(self: Value, name: string, given: readonly Value[], shapes: Shapes): Value {
  if (isList(self)) return counted(listMethods, name, given).call(self, given, shapes);
  if (self instanceof Map || isPlainObject(self)) return counted(mapMethods, name, given).call(self, given, shapes);
  return counted(typeof self === 'boolean' ? booleanMethods : numberMethods, name, given).call(self, given, shapes);
}

/** Calls a method of a host object: one that its shape declares, the getter of a property, or one of a map. */
export function callShapeMethod(object: object, name: string, given: readonly Value[], shape: Shape): Value {
  const method = shape.methods !== undefined && Object.hasOwn(shape.methods, name) ? shape.methods[name] : undefined;
  if (method !== undefined) return method(object, given);
  const property = given.length === 0 ? getterOf(shape, name) : null;
  if (property !== null) return shape.properties[property]!.get(object);
  const { entries } = shape;
  if (entries !== undefined) {
    if (name === 'get' && given.length === 1) return entries.get(object, textOf(given[0]!));
    if (name === 'containsKey' && given.length === 1) return entries.get(object, textOf(given[0]!)) !== null;
    if (given.length === 0 && entries.keys !== undefined) {
      if (name === 'keySet') return entries.keys(object);
      if (name === 'size') return entries.keys(object).length;
      if (name === 'isEmpty') return entries.keys(object).length === 0;
    }
  }
  if (name === 'toString' && given.length === 0 && shape.text !== undefined) return shape.text(object);
  throw noMethod(name, given.length);
}

/** Whether any list, map, number, truth value or host object has a method of this name. */
export function isValueMethod(name: string, shapes: Shapes): boolean {
  if ([listMethods, mapMethods, numberMethods, booleanMethods].some((methods) => methods.has(name))) return true;
  return [...shapes.values()].some(
    (shape) => (shape.methods !== undefined && Object.hasOwn(shape.methods, name)) || getterOf(shape, name) !== null,
  );
}

/** The property that `getName()` or `isName()` reads. */
export function getterOf(shape: Shape, name: string): string | null {
  const property = beanProperty(name);
  if (property !== null && Object.hasOwn(shape.properties, property)) return property;
  return name.startsWith('is') && Object.hasOwn(shape.properties, name) ? name : null;
}

/** The name of the property that a getter of this name would read, or null when it is not named as one. */
export function beanProperty(name: string): string | null {
  const match = /^(?:get|is)(\p{Lu}.*)$/su.exec(name);
  return match === null ? null : match[1]!.charAt(0).toLowerCase() + match[1]!.slice(1);
}

export function noMethod(name: string, count: number): EvaluationError {
  return new EvaluationError(`there is no method ${name}() with ${count} argument${count === 1 ? '' : 's'} to call`);
}

function table<T>(rows: readonly (readonly [string, number, Method<T>])[]): ReadonlyMap<string, CountedMethod<T>> {
  return new Map(rows.map(([name, count, call]) => [name, { count, call }]));
}

function counted<T>(methods: ReadonlyMap<string, CountedMethod<T>>, name: string, given: readonly Value[]) {
  const method = methods.get(name);
  if (method === undefined || method.count !== given.length) throw noMethod(name, given.length);
  return method;
}

function itemOf(list: readonly Value[], given: readonly Value[]): Value {
  const at = integerOf(given[0]!);
  const item = list[at];
  if (item === undefined) throw new EvaluationError(`there is no item ${at} in a list of ${list.length}`);
  return item;
}

function containsAll(list: readonly Value[], given: readonly Value[], shapes: Shapes): Value {
  const wanted = given[0]!;
  if (!isList(wanted)) throw new EvaluationError('containsAll() takes a list');
  return wanted.every((item) => list.some((one) => alike(one, item, shapes)));
}

function keysOf(map: object): string[] {
  if (map instanceof Map) return [...map.keys()].map(String);
  return isPlainObject(map) ? plainKeys(map) : [];
}

function valuesOf(map: object): Value[] {
  if (map instanceof Map) return [...map.values()];
  return isPlainObject(map) ? plainKeys(map).map((key) => map[key] ?? null) : [];
}

function holds(map: object, key: Value): boolean {
  return map instanceof Map ? map.has(textOf(key)) : Object.hasOwn(map, textOf(key));
}
