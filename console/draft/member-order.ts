import { isJsonObject, type JsonValue } from '../../contract/document/json-value.ts';

/** Returns a value with its members in the order of those of a model, as far as the model has them; others follow. */
export function orderedLike<T extends JsonValue>(value: T, model: JsonValue | undefined): T {
  return ordered(value, model) as T;
}

/** Two values are alike if they differ in nothing but the order of members, which a cluster does not keep. */
export function isAlike(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return JSON.stringify(ordered(one, other)) === JSON.stringify(other);
}

function ordered(value: JsonValue, model: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) {
    const models = Array.isArray(model) ? (model as readonly JsonValue[]) : [];
    return (value as readonly JsonValue[]).map((item, at) => ordered(item, models[at]));
  }
  if (!isJsonObject(value) || !isJsonObject(model)) return value;
  const first = Object.keys(model).filter((key) => Object.hasOwn(value, key));
  const others = Object.keys(value).filter((key) => !Object.hasOwn(model, key));
  return Object.fromEntries([...first, ...others].map((key) => [key, ordered(value[key]!, model[key])]));
}
