/** The scheme that every resource server takes. */
export const BEARER = 'Bearer';

/** `b64token` of RFC 6750, section 2.1: a pattern, which reads a text that is part of another twice as fast as a loop. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * What follows one of the schemes in the value of an `Authorization` header, or null when it has another one or nothing
 * follows. Schemes are names in any case; whether what follows is a token is not looked at.
 */
export function credentialsIn(value: string, schemes: readonly string[]): string | null {
  const space = value.indexOf(' ');
  if (space < 0) return null;
  const scheme = value.slice(0, space);
  if (scheme !== BEARER && !schemes.some((known) => known.toLowerCase() === scheme.toLowerCase())) return null;
  let start = space + 1;
  while (value.charCodeAt(start) === 0x20) start++;
  return start === value.length ? null : value.slice(start);
}

/** Whether credentials are one token. */
export function isToken(credentials: string): boolean {
  return TOKEN.test(credentials);
}

/** Whether credentials are several: no token holds a comma, and whoever passes lines on may join them with one. */
export function areSeveral(credentials: string): boolean {
  return credentials.includes(',');
}
