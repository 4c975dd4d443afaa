import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../../contract/document/json-value.ts';
import { listOf } from '../../contract/document/lenient-parts.ts';
import type { Path } from '../../contract/problem.ts';
import { type StoreSource, storeTypes } from './exported-store.ts';

/** A document as it is written and with its tokens replaced; both have the same form. */
export interface DocumentPair {
  readonly written: JsonObject;
  readonly resolved: JsonObject;
}

/** The stores in the heap of a document, by name. */
export function heapStores(
  { written, resolved }: DocumentPair,
  around: StoreSource['other'],
): Map<string, StoreSource> {
  const stores = new Map<string, StoreSource>();
  const other = (name: string): StoreSource | null => stores.get(name) ?? around(name);
  const known = listOf(resolved['heap']);
  for (const [at, object] of listOf(written['heap']).entries()) {
    const twin = known[at];
    if (!isStore(object) || !isJsonObject(twin) || typeof twin['name'] !== 'string') continue;
    stores.set(twin['name'], { written: object, resolved: twin, other });
  }
  return stores;
}

/**
 * A document without its stores: those of its heap are left out, and the others are replaced by names.
 * @param named gives a store that is declared in place a name
 */
export function withoutStores(
  { written, resolved }: DocumentPair,
  other: StoreSource['other'],
  named: (store: StoreSource) => string,
): DocumentPair {
  const kept = (pair: DocumentPair): DocumentPair => {
    const twins = listOf(pair.resolved['heap']);
    const list = listOf(pair.written['heap']);
    if (list.length === 0) return pair;
    const stay = list.map((object, at) => !(isStore(object) && isJsonObject(twins[at])));
    const filtered = (objects: readonly JsonValue[]): JsonValue => objects.filter((_, at) => stay[at]);
    return {
      written: { ...pair.written, heap: filtered(list) },
      resolved: { ...pair.resolved, heap: filtered(twins) },
    };
  };

  const objects = (a: JsonObject, b: JsonObject): DocumentPair => {
    const first: Record<string, JsonValue> = {};
    const second: Record<string, JsonValue> = {};
    for (const [key, member] of Object.entries(b)) if (!Object.hasOwn(a, key)) setMember(second, key, member);
    for (const [key, member] of Object.entries(a)) {
      const [x, y] = values(member, b[key]);
      setMember(first, key, x);
      if (y !== undefined) setMember(second, key, y);
    }
    return { written: first, resolved: second };
  };

  const values = (a: JsonValue, b: JsonValue | undefined): readonly [JsonValue, JsonValue | undefined] => {
    if (isStore(a) && isJsonObject(b)) {
      const name = named({ written: a, resolved: b, other });
      return [name, name];
    }
    if (Array.isArray(a) && Array.isArray(b)) {
      const pairs = (a as readonly JsonValue[]).map((item, at) => values(item, (b as readonly JsonValue[])[at]));
      return [pairs.map(([x]) => x), pairs.map(([, y]) => y ?? null)];
    }
    if (!isJsonObject(a) || !isJsonObject(b)) return [a, b];
    const { written: x, resolved: y } = objects(a, b);
    return [x, y];
  };

  const bare = kept({ written, resolved });
  return objects(bare.written, bare.resolved);
}

/** A document with another value at a path that it has. */
export function withValueAt(value: JsonValue, [step, ...rest]: Path, put: JsonValue): JsonValue {
  if (step === undefined) return put;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, at) => (at === step ? withValueAt(item, rest, put) : item));
  }
  if (!isJsonObject(value) || !Object.hasOwn(value, step)) return value;
  return { ...value, [step]: withValueAt(value[step]!, rest, put) };
}

/** The value at a path, or undefined. */
export function valueAt(value: JsonValue, path: Path): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const step of path) {
    if (Array.isArray(here)) here = (here as readonly JsonValue[])[Number(step)];
    else here = isJsonObject(here) && Object.hasOwn(here, step) ? here[step] : undefined;
  }
  return here;
}

function isStore(value: JsonValue): value is JsonObject {
  return isJsonObject(value) && storeTypes.has(value['type']);
}
