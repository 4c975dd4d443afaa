import type { Headers } from '../../engine/head/headers.ts';

const SPACE = 0x20;
const NONE: readonly string[] = [];

/**
 * Returns the value of the cookie with this name. Null where there is none, and where two have different values: another
 * host of the domain may have set one of them.
 */
export function presentedCookie(headers: Headers, name: string): string | null {
  const [value = null, other] = presentedCookies(headers, name, 2);
  return other === undefined ? value : null;
}

/** Returns the different values of cookies with this name. @param most values after which no others are looked for */
export function presentedCookies(headers: Headers, name: string, most: number): readonly string[] {
  if (!headers.has('cookie')) return NONE;
  const found: string[] = [];
  for (const line of headers.all('cookie')) {
    for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + name.length)) {
      const value = valueAt(line, at, name.length);
      if (value === null || value === '' || found.includes(value)) continue;
      found.push(value);
      if (found.length === most) return found;
    }
  }
  return found;
}

/** The value of the pair that begins here; null where none does. */
function valueAt(line: string, at: number, length: number): string | null {
  let before = at - 1;
  while (before >= 0 && line.charCodeAt(before) === SPACE) before--;
  if (before >= 0 && line[before] !== ';') return null;
  let equals = at + length;
  while (line.charCodeAt(equals) === SPACE) equals++;
  if (line[equals] !== '=') return null;
  const end = line.indexOf(';', equals);
  const value = (end < 0 ? line.slice(equals + 1) : line.slice(equals + 1, end)).trim();
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
