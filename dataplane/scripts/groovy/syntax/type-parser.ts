import type { Cursor } from './cursor.ts';
import { PRIMITIVE_NAMES } from './token.ts';
import type { TypeName } from './tree.ts';

/** Reads a type, or returns null and stays where it was. */
export function tryType(cursor: Cursor, hasDimensions = true): TypeName | null {
  const from = cursor.at;
  const place = cursor.place();
  const { token } = cursor;
  let name = token.text;
  let args: readonly TypeName[] = [];
  if (token.kind === 'keyword' && PRIMITIVE_NAMES.has(name)) cursor.next();
  else if (token.kind === 'name') {
    cursor.next();
    while (cursor.isHere('.') && cursor.peek().kind === 'name') {
      cursor.next();
      name += `.${cursor.next().text}`;
    }
    if (cursor.isHere('<')) {
      const first = cursor.at;
      if (!skipTypeArguments(cursor)) {
        cursor.at = from;
        return null;
      }
      args = typeArguments(cursor, first);
    }
    while (cursor.isHere('.') && cursor.peek().kind === 'name') {
      cursor.next();
      name += `.${cursor.next().text}`;
    }
  } else return null;
  let dimensions = 0;
  while (hasDimensions && cursor.isHere('[') && cursor.peek().text === ']' && cursor.peek().kind === 'operator') {
    cursor.next();
    cursor.next();
    dimensions++;
  }
  return { name: cursor.erased(name), dimensions, place, args };
}

export function requireType(cursor: Cursor, hasDimensions = true): TypeName {
  return tryType(cursor, hasDimensions) ?? cursor.fail(`expected a type but found ${cursor.found()}`);
}

/** Skips `<…>`; type arguments mean nothing at run time. */
export function skipTypeArguments(cursor: Cursor): boolean {
  const from = cursor.at;
  let depth = 0;
  for (;;) {
    const { kind, text } = cursor.token;
    if (kind === 'operator' && text === '<') depth++;
    else if (kind === 'operator' && /^>+$/.test(text)) depth -= text.length;
    else if (
      !(
        kind === 'name' ||
        (kind === 'keyword' && (PRIMITIVE_NAMES.has(text) || text === 'extends' || text === 'super'))
      ) &&
      !(kind === 'operator' && ['.', ',', '?', '&', '[', ']', '@'].includes(text))
    ) {
      cursor.at = from;
      return false;
    }
    cursor.next();
    if (depth === 0) return true;
    if (depth < 0 || cursor.token.kind === 'end') {
      cursor.at = from;
      return false;
    }
  }
}

/** The classes named between `<` at an offset and the cursor; those of a wildcard are its bounds. */
function typeArguments(cursor: Cursor, from: number): TypeName[] {
  const names: TypeName[] = [];
  for (let at = from + 1; at < cursor.at; at++) {
    const { kind, text, line, column } = cursor.tokens[at]!;
    if (kind !== 'name') continue;
    let name = text;
    while (cursor.tokens[at + 1]!.text === '.') {
      name += `.${cursor.tokens[at + 2]!.text}`;
      at += 2;
    }
    names.push({ name: cursor.erased(name), dimensions: 0, place: { line, column }, args: [] });
  }
  return names;
}

/** Reads `<T, U extends Number>` and gives each variable the class that bounds it. */
export function parseTypeVariables(cursor: Cursor): ReadonlyMap<string, string> {
  const from = cursor.at;
  if (!skipTypeArguments(cursor)) cursor.unexpected();
  const bounds = new Map<string, string>();
  let depth = 0;
  for (let at = from; at < cursor.at; at++) {
    const { kind, text } = cursor.tokens[at]!;
    if (kind === 'operator') depth += text === '<' ? 1 : /^>+$/.test(text) ? -text.length : 0;
    if (kind !== 'name' || depth !== 1 || !['<', ','].includes(cursor.tokens[at - 1]!.text)) continue;
    let bound = 'java.lang.Object';
    if (cursor.tokens[at + 1]!.text === 'extends') {
      at += 2;
      bound = cursor.tokens[at]!.text;
      while (cursor.tokens[at + 1]!.text === '.') {
        bound += `.${cursor.tokens[at + 2]!.text}`;
        at += 2;
      }
      bound = bounds.get(bound) ?? cursor.erased(bound);
    }
    bounds.set(text, bound);
  }
  return bounds;
}

/** A name that reads as a type: a primitive, or a last part with a capital. */
export function looksLikeType(type: TypeName): boolean {
  const last = type.name.slice(type.name.lastIndexOf('.') + 1);
  return PRIMITIVE_NAMES.has(type.name) || /^[\p{Lu}_$]/u.test(last);
}
