/** Handling of a query with characters that are not allowed: pass it unchanged, encode it, or reject it. */
export const queryRules = ['pass', 'encode', 'refuse'] as const;
export type Queries = (typeof queryRules)[number];

/** Characters that a query may hold as they are: those of RFC 3986, and the brackets that nearly everybody sends. */
const FIT = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?[]";

/** Bytes that a query may hold as they are; a percent sign has to be looked at. */
export const QUERY = new Uint8Array(256);
for (const character of FIT) QUERY[character.charCodeAt(0)] = 1;

/** What is visible and may not stand in a query; a percent sign that begins no escape was refused before. */
const UNFIT = /["<>\\^`{|}]/g;

/** A target whose query, from `start` on, holds only what a query may; what is encoded already stays as it is. */
export function encodedQuery(target: string, start: number): string {
  const query = start === 0 ? target : target.slice(start);
  const encoded = query.replace(UNFIT, (unfit) => `%${unfit.charCodeAt(0).toString(16).toUpperCase()}`);
  return start === 0 ? encoded : target.slice(0, start) + encoded;
}
