import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';

/** What only one of two values has, a line each: `-` for the observed one, `+` for ours. Empty for equal values. */
export function differenceLines(observed: JsonValue, ours: JsonValue, path = ''): string[] {
  if (isDeepStrictEqual(observed, ours)) return [];
  const before = membersOf(observed);
  const after = membersOf(ours);
  if (before === null || after === null || Array.isArray(observed) !== Array.isArray(ours)) {
    return [line('-', path, observed), line('+', path, ours)];
  }
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [one, other] = [before.get(name), after.get(name)];
    const place = `${path}/${name}`;
    if (one === undefined) return [line('+', place, other!)];
    return other === undefined ? [line('-', place, one)] : differenceLines(one, other, place);
  });
}

function membersOf(value: JsonValue): ReadonlyMap<string, JsonValue> | null {
  if (Array.isArray(value)) return new Map((value as readonly JsonValue[]).map((item, at) => [String(at), item]));
  return isJsonObject(value) ? new Map(Object.entries(value)) : null;
}

function line(sign: string, path: string, value: JsonValue): string {
  const text = JSON.stringify(value);
  return `${sign} ${path === '' ? '/' : path} ${text.length <= 120 ? text : `${text.slice(0, 120)}…`}`;
}
