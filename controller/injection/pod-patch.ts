import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../../contract/document/json-value.ts';
import type { Path } from '../../contract/problem.ts';

/** Something new in a Pod: a member of an object, an item before the one at an index, or one after the last (`-`). */
export interface Addition {
  readonly path: Path;
  readonly value: JsonValue;
}

/** Additions as the API server takes them: a JSON patch (RFC 6902). */
export function jsonPatch(additions: readonly Addition[]): JsonValue {
  return additions.map(({ path, value }) => ({ op: 'add', path: pointer(path), value }));
}

function pointer(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The object with the additions in it. What they are added to must be there. */
export function withAdditions(object: JsonObject, additions: readonly Addition[]): JsonObject {
  return additions.reduce((before, { path, value }) => added(before, path, value) as JsonObject, object);
}

function added(target: JsonValue | undefined, [step, ...rest]: Path, value: JsonValue): JsonValue {
  if (step === undefined) return value;
  if (Array.isArray(target)) {
    const items = target as readonly JsonValue[];
    const at = step === '-' ? items.length : Number(step);
    return rest.length === 0 ? items.toSpliced(at, 0, value) : items.with(at, added(items[at], rest, value));
  }
  if (!isJsonObject(target)) throw new Error(`there is nothing that ${step} could be added to`);
  const changed = { ...target };
  setMember(changed, String(step), added(target[step], rest, value));
  return changed;
}
