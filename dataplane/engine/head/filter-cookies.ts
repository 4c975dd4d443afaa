import type { Headers } from './headers.ts';

/**
 * Takes cookies out of a request, and adds others behind those that stay. The lines stay as they are where nothing
 * changes. @returns whether one was taken out
 */
export function filterCookies(
  headers: Headers,
  keeps: (name: string, value: string) => boolean,
  added: readonly string[] = [],
): boolean {
  const lines = headers.has('cookie') ? headers.all('cookie') : [];
  const pairs = lines.flatMap((line) => line.split(';')).map((pair) => pair.trim());
  const kept = pairs.filter((pair) => pair === '' || keeps(cookieName(pair), cookieValue(pair)));
  const isTaken = kept.length < pairs.length;
  if (!isTaken && added.length === 0) return false;
  headers.delete('cookie');
  const line = [...kept.filter((pair) => pair !== ''), ...added];
  if (line.length > 0) headers.append('Cookie', line.join('; '));
  return isTaken;
}

/** Returns the name of a cookie in a pair, or in a line that begins with one. */
export function cookieName(pair: string): string {
  const end = pair.search(/[=;]/);
  return (end < 0 ? pair : pair.slice(0, end)).trim();
}

function cookieValue(pair: string): string {
  const equals = pair.indexOf('=');
  const value = equals < 0 ? '' : pair.slice(equals + 1).trim();
  return value.length > 1 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
}
