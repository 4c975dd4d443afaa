import { isJsonObject, type JsonValue } from '../document/json-value.ts';

/** JSON in which equal parts are written once. */
export interface PackedJson {
  /** Parts that occur several times. A part may contain earlier ones. */
  readonly parts: readonly JsonValue[];
  readonly root: JsonValue;
}

/** Name of the only member of an object that stands for a part. */
const PART = '$part';
/** A shorter text is not worth a reference. */
const SHORTEST = 60;

/** Packs a value, so that it needs less memory and a smaller file. */
export function packJson(value: JsonValue): PackedJson {
  const counts = new Map<string, number>();
  count(value, counts);
  const parts: JsonValue[] = [];
  const places = new Map<string, number>();
  const packed = (one: JsonValue): JsonValue => {
    if (typeof one !== 'object' || one === null) return one;
    const text = JSON.stringify(one);
    const isShared = text.length >= SHORTEST && counts.get(text)! > 1;
    const known = places.get(text);
    if (known !== undefined) return { [PART]: known };
    const inner = Array.isArray(one)
      ? (one as readonly JsonValue[]).map(packed)
      : Object.fromEntries(Object.entries(one).map(([name, member]) => [name, packed(member)]));
    if (!isShared) return inner;
    places.set(text, parts.push(inner) - 1);
    return { [PART]: parts.length - 1 };
  };
  const root = packed(value);
  return { parts, root };
}

/** Returns the value that was packed. Equal parts are the same object. */
export function unpackJson({ parts, root }: PackedJson): JsonValue {
  const known: JsonValue[] = [];
  const unpacked = (one: JsonValue): JsonValue => {
    if (Array.isArray(one)) return (one as readonly JsonValue[]).map(unpacked);
    if (!isJsonObject(one)) return one;
    const place = one[PART];
    if (typeof place === 'number') return known[place]!;
    return Object.fromEntries(Object.entries(one).map(([name, member]) => [name, unpacked(member)]));
  };
  for (const part of parts) known.push(unpacked(part));
  return unpacked(root);
}

/** Counts equal objects and lists. Those within an equal one count once. */
function count(value: JsonValue, counts: Map<string, number>): void {
  if (typeof value !== 'object' || value === null) return;
  const text = JSON.stringify(value);
  const before = counts.get(text) ?? 0;
  counts.set(text, before + 1);
  if (before > 0) return;
  for (const inner of Object.values(value)) count(inner, counts);
}
