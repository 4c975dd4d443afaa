import { cookieName, filterCookies } from '../engine/head/filter-cookies.ts';
import type { Headers } from '../engine/head/headers.ts';
import type { PresentedCookies } from '../engine/message/session.ts';

/** Cookies of one session at most; numbers beyond it are taken out of the request and not looked at. */
export const MOST_PARTS = 6;
/** Different values of one cookie that are looked at: an attacker on a neighbouring host may add some. */
const MOST_VALUES = 4;

/**
 * Takes the cookies of a session out of a request, so that neither filters nor the backend see them. Null when there
 * are none.
 */
export function takeCookies(headers: Headers, name: string): PresentedCookies | null {
  if (!headers.has('cookie') || !headers.all('cookie').some((line) => line.includes(name))) return null;
  const parts: string[][] = [];
  const isFound = filterCookies(headers, (given, value) => {
    const part = partOf(given, name);
    if (part !== OTHER && part < MOST_PARTS) addValue(parts, part, value);
    return part === OTHER;
  });
  return isFound ? parts : null;
}

/** Removes lines of a response that set cookies of the session: only the session manager does. */
export function dropSetCookies(headers: Headers, name: string): void {
  if (!headers.has('set-cookie')) return;
  const lines = headers.all('set-cookie');
  const kept = lines.filter((line) => partOf(cookieName(line), name) === OTHER);
  if (kept.length === lines.length) return;
  headers.delete('set-cookie');
  for (const line of kept) headers.append('Set-Cookie', line);
}

const OTHER = -1;

/** The part of the session that a cookie with this name is; OTHER for another cookie. */
function partOf(given: string, name: string): number {
  if (!given.startsWith(name)) return OTHER;
  if (given.length === name.length) return 0;
  if (given[name.length] !== '_') return OTHER;
  const number = given.slice(name.length + 1);
  if (!/^[1-9]\d*$/.test(number)) return OTHER;
  return number.length > 3 ? MOST_PARTS : Number(number);
}

function addValue(parts: string[][], part: number, value: string): void {
  while (parts.length <= part) parts.push([]);
  const values = parts[part]!;
  if (values.length < MOST_VALUES && !values.includes(value)) values.push(value);
}
