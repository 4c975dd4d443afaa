import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../document/json-value.ts';

/** A value with members or elements. */
export type Container = JsonObject | readonly JsonValue[];

/** A pointer leads through a value without members, or to an element that an array cannot have. */
export class NoSuchPlace extends Error {
  constructor() {
    super('there is no such place');
    this.name = 'NoSuchPlace';
  }
}

export function isContainer(value: JsonValue | undefined): value is Container {
  return Array.isArray(value) || isJsonObject(value);
}

/** Returns a member or element; undefined where there is none. */
export function itemAt(container: Container, step: string): JsonValue | undefined {
  if (!Array.isArray(container)) return Object.hasOwn(container, step) ? (container as JsonObject)[step] : undefined;
  const at = indexOf(step);
  return at === null ? undefined : (container as readonly JsonValue[])[at];
}

/** Returns the container without a member or element. */
export function withoutItem(container: Container, step: string): Container {
  if (itemAt(container, step) === undefined) return container;
  if (Array.isArray(container)) return (container as readonly JsonValue[]).toSpliced(indexOf(step)!, 1);
  const changed: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(container)) if (name !== step) setMember(changed, name, member);
  return changed;
}

export function withMember(object: JsonObject, step: string, value: JsonValue): JsonObject {
  const changed: Record<string, JsonValue> = { ...object };
  setMember(changed, step, value);
  return changed;
}

/** Returns an array with another element at an index. @throws NoSuchPlace */
export function withElement(array: readonly JsonValue[], step: string, value: JsonValue): readonly JsonValue[] {
  const at = indexOf(step);
  if (at === null || at >= array.length) throw new NoSuchPlace();
  return array.with(at, value);
}

/** Returns an array with a value inserted before an index, or at its end for `-`. @throws NoSuchPlace */
export function withInserted(array: readonly JsonValue[], step: string, value: JsonValue): readonly JsonValue[] {
  const at = step === '-' ? array.length : indexOf(step);
  if (at === null || at > array.length) throw new NoSuchPlace();
  return array.toSpliced(at, 0, value);
}

/** Index of an element; null for a step that is none. */
export function indexOf(step: string): number | null {
  return /^(?:0|[1-9]\d{0,8})$/.test(step) ? Number(step) : null;
}
