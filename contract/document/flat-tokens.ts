import { isJsonObject, type JsonObject, type JsonValue } from './json-value.ts';

/**
 * The tokens that an object stands for: the names of nested members joined with dots, texts as they are, other values as
 * JSON writes them (so that `$int`, `$bool` and `$array` read them back). Null stands for no token.
 */
export function* flatTokens(object: JsonObject, prefix = ''): Generator<readonly [name: string, text: string]> {
  for (const [key, value] of Object.entries(object)) {
    const name = `${prefix}${key}`;
    if (isJsonObject(value)) yield* flatTokens(value, `${name}.`);
    else if (value !== null) yield [name, tokenText(value)];
  }
}

function tokenText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
