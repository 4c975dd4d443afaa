import { isJsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import type { Path } from '../../../../contract/problem.ts';

/** Returns a path as a JSON pointer, such as `/handler/config/filters/0`. */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Returns the path of a pointer in a document; null if there is nothing at it. */
export function pathOfPointer(pointer: string, document: JsonValue | undefined): Path | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return null;
  const path: (string | number)[] = [];
  let value = document;
  for (const text of pointer.slice(1).split('/')) {
    const name = text.replaceAll('~1', '/').replaceAll('~0', '~');
    const step = Array.isArray(value) ? Number(name) : name;
    value = valueAt(value, [step]);
    if (value === undefined) return null;
    path.push(step);
  }
  return path;
}

/** Returns the value at a path; undefined if there is none. */
export function valueAt(document: JsonValue | undefined, path: Path): JsonValue | undefined {
  let value = document;
  for (const step of path) {
    if (Array.isArray(value)) value = typeof step === 'number' ? (value as readonly JsonValue[])[step] : undefined;
    else if (isJsonObject(value) && Object.hasOwn(value, String(step))) value = value[String(step)];
    else return undefined;
  }
  return value;
}

/** True if two paths are the same. */
export function isSamePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((step, at) => step === b[at]);
}

/** True if a path is another one or leads on from it. */
export function isWithin(path: Path, outer: Path): boolean {
  return path.length >= outer.length && outer.every((step, at) => step === path[at]);
}
