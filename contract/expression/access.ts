import { integerOf } from './coercion.ts';
import type { Property, Shape, Shapes } from './language.ts';
import { textOf } from './text.ts';
import { EvaluationError, isInteger, isList, isPlainObject, type Value, valueType } from './value.ts';

/** Names through which an object could be left or changed for everyone; no expression reaches them. */
export const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Returns the member of a value under a key; null if the value has no members or none under this key. */
export function readMember(value: Value, key: Value, shapes: Shapes): Value {
  if (typeof value !== 'object' || value === null || key === null) return null;
  if (isList(value)) {
    const index = indexOf(key);
    return index === null ? null : (value[index] ?? null);
  }
  if (value instanceof Uint8Array) return readByte(value, key);
  const name = textOf(key, shapes);
  if (FORBIDDEN.has(name)) return null;
  if (value instanceof Map) return present(value.get(name));
  if (isPlainObject(value)) return Object.hasOwn(value, name) ? present(value[name]) : null;
  const shape = shapes.get(Object.getPrototypeOf(value));
  return shape === undefined ? null : readShape(value, name, shape);
}

/**
 * The same for a name that is always the same: what can be known of it is found out once, and so is the property of the
 * class whose object came last.
 */
export function memberReader(name: string, shapes: Shapes): (value: Value) => Value {
  if (FORBIDDEN.has(name)) return () => null;
  const isInherited = name in Object.prototype;
  let lastPrototype: object | null = null;
  let lastProperty: Property | null = null;
  return (value) => {
    if (typeof value !== 'object' || value === null) return null;
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype === Object.prototype && !isInherited) return present((value as Record<string, Value>)[name]);
    if (prototype === lastPrototype && lastProperty !== null) return lastProperty.get(value);
    const shape = shapes.get(prototype);
    const property = shape === undefined ? null : propertyOf(shape, name);
    if (property === null || isOfLanguage(value)) return readMember(value, name, shapes);
    lastPrototype = prototype;
    lastProperty = property;
    return property.get(value);
  };
}

/** Lists, bytes and maps have members of their own, whatever shape their class has. */
function isOfLanguage(value: object): boolean {
  return Array.isArray(value) || value instanceof Uint8Array || value instanceof Map;
}

/** A byte as Java has it, from -128 to 127. */
function readByte(bytes: Uint8Array, key: Value): Value {
  const index = indexOf(key);
  const byte = index === null ? undefined : bytes[index];
  return byte === undefined ? null : byte > 127 ? byte - 256 : byte;
}

/** Returns the member of an object of a known shape. */
export function readShape(object: object, name: string, shape: Shape): Value {
  const property = propertyOf(shape, name);
  if (property !== null) return property.get(object);
  return shape.entries === undefined || FORBIDDEN.has(name) ? null : shape.entries.get(object, name);
}

/**
 * Puts a value under a key. What is read only or not declared stays as it is.
 * @throws EvaluationError when there is nothing to put it in, or it does not fit there.
 */
export function writeMember(base: Value, key: Value, value: Value, shapes: Shapes): void {
  if (base === null) throw new EvaluationError('there is nothing to assign to: what the last name belongs to is null');
  if (key === null) throw new EvaluationError('there is nothing to assign to: the key is null');
  if (typeof base !== 'object' || base instanceof Uint8Array) {
    throw new EvaluationError(`a value of the type ${valueType(base)} holds nothing that can be assigned to`);
  }
  if (Array.isArray(base)) {
    writeItem(base, key, value);
    return;
  }
  const name = textOf(key, shapes);
  if (FORBIDDEN.has(name)) throw new EvaluationError(`'${name}' cannot be assigned to`);
  if (base instanceof Map) base.set(name, value);
  else if (isPlainObject(base)) {
    Object.defineProperty(base, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    const shape = shapes.get(Object.getPrototypeOf(base));
    if (shape !== undefined) writeShape(base, name, value, shape);
  }
}

/** The declared property of this name, or null. */
export function propertyOf(shape: Shape, name: string): Property | null {
  return Object.hasOwn(shape.properties, name) ? shape.properties[name]! : null;
}

function writeShape(object: object, name: string, value: Value, shape: Shape): void {
  const property = propertyOf(shape, name);
  if (property !== null) property.set?.(object, value);
  else shape.entries?.set?.(object, name, value);
}

function writeItem(list: Value[], key: Value, value: Value): void {
  const index = indexOf(key);
  if (index === null || index < 0 || index >= list.length) {
    throw new EvaluationError('the list has no such position to assign to');
  }
  list[index] = value;
}

/** The place in a list that a key names; null for other keys. */
export function indexOf(key: Value): number | null {
  if (typeof key === 'bigint' || typeof key === 'number') return isInteger(key) ? Number(key) : null;
  return typeof key === 'string' && /^[+-]?\d{1,9}$/.test(key) ? integerOf(key) : null;
}

function present(value: Value | undefined): Value {
  return value === undefined ? null : value;
}
