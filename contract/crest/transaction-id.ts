import { randomUUID } from 'node:crypto';
import type { HeaderValue } from './preconditions.ts';

/** Names of the header, the neutral one first. */
const HEADERS = ['x-vendor-transactionid', 'x-forgerock-transactionid'];
/** An id, and the numbers of the calls that led here. */
const ID = /^[\w.:~-]{1,100}(?:\/\d{1,9}){0,10}$/;

/** Returns the transaction id of a request: the one that it brings if callers are trusted, else a new one. */
export function transactionIdOf(header: HeaderValue, isTrusted: boolean): string {
  if (isTrusted) {
    for (const name of HEADERS) {
      const given = header(name)?.trim() ?? '';
      if (ID.test(given)) return given;
    }
  }
  return randomUUID();
}
