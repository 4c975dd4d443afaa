/** JSON value of a document. Values are immutable: transformations create new objects. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object that a text holds as JSON; null for other values and for a text that is no JSON. */
export function jsonObjectIn(text: string): JsonObject | null {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Sets a member of an object that is being made. Objects of documents are plain ones, so that they compare and print as
 * people expect; `__proto__` is then a setter, and defining it keeps it an ordinary key that cannot reach a prototype.
 */
export function setMember(object: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** The object with every member replaced by what is made of it; the same object when that changes nothing. */
export function mapMembers(object: JsonObject, make: (member: JsonValue, key: string) => JsonValue): JsonObject {
  const keys = Object.keys(object); // of objects with thousands of members, entries take four times as long
  const changes = new Map<string, JsonValue>();
  for (const key of keys) {
    const member = object[key]!;
    const made = make(member, key);
    if (made !== member) changes.set(key, made);
  }
  if (changes.size === 0) return object;
  const result: Record<string, JsonValue> = {};
  for (const key of keys) setMember(result, key, changes.has(key) ? changes.get(key)! : object[key]!);
  return result;
}

/** Name of the kind of a value, for messages. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}

/** Whether an integer stays the same as a number, which has 53 bits for its digits. */
export function isExactAsNumber(integer: bigint): boolean {
  const number = Number(integer);
  return Number.isFinite(number) && BigInt(number) === integer;
}
