import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../../contract/document/json-value.ts';
import type { Path, Step } from '../../contract/problem.ts';

/** Returns the value at a path; undefined if there is none. */
export function valueAt(root: JsonValue | undefined, path: Path): JsonValue | undefined {
  let value = root;
  for (const step of path) {
    if (typeof step === 'number') value = Array.isArray(value) ? (value as readonly JsonValue[])[step] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** Returns a value in which the one at a path is replaced. */
export function withValue(root: JsonValue, path: Path, value: JsonValue): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const inner = withValue(valueAt(root, [step]) ?? null, rest, value);
  return typeof step === 'number' ? listOf(root).with(step, inner) : members(root).with(step, inner);
}

/** Returns a value in which an item or member is taken out. */
export function withoutValue(root: JsonValue, path: Path): JsonValue {
  return within(root, path.slice(0, -1), (parent) => {
    const step = path.at(-1)!;
    return typeof step === 'number' ? listOf(parent).toSpliced(step, 1) : members(parent).without(step);
  });
}

/** Returns a value in which an item or member is put into a list or object. */
export function withInserted(root: JsonValue, path: Path, at: number, key: string | null, value: JsonValue): JsonValue {
  return within(root, path, (parent) =>
    key === null ? listOf(parent).toSpliced(at, 0, value) : members(parent).inserted(at, key, value),
  );
}

/** Two values are the same if they are written alike, also in the order of members. */
export function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function within(root: JsonValue, path: Path, change: (value: JsonValue) => JsonValue): JsonValue {
  return withValue(root, path, change(valueAt(root, path) ?? null));
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

interface Members {
  with(key: Step, value: JsonValue): JsonObject;
  without(key: Step): JsonObject;
  inserted(at: number, key: string, value: JsonValue): JsonObject;
}

function members(value: JsonValue): Members {
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  const known = (key: Step): number => entries.findIndex(([name]) => name === key);
  return {
    with(key, member) {
      const at = known(key);
      return objectOf(at < 0 ? [...entries, [String(key), member]] : entries.with(at, [String(key), member]));
    },
    without: (key) => objectOf(entries.filter(([name]) => name !== key)),
    inserted: (at, key, member) => objectOf(entries.toSpliced(at, 0, [key, member])),
  };
}

function objectOf(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const [key, value] of entries) setMember(object, key, value);
  return object;
}
