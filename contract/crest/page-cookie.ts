import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../document/canonical.ts';
import type { JsonValue } from '../document/json-value.ts';
import { badRequest } from './crest-error.ts';
import type { Rank } from './sort-keys.ts';

/** Place of a result in the order of a query. */
export interface PagePlace {
  readonly ranks: readonly Rank[];
  readonly id: string;
}

const LONGEST = 16_384;

/**
 * Writes and reads page cookies. A cookie holds the place of the last result of its page, so that the next page begins
 * behind it even if that result is gone. The signature covers the query, which makes the cookie worthless for others.
 */
export class PageCookies {
  private readonly key: Uint8Array;

  /** @param key secret that all servers of the collection share */
  constructor(key: Uint8Array) {
    this.key = key;
  }

  write({ ranks, id }: PagePlace, query: JsonValue): string {
    const place = Buffer.from(JSON.stringify([id, ...ranks])).toString('base64url');
    return `${place}.${this.signature(place, query).toString('base64url')}`;
  }

  /** @throws CrestError for a cookie that was not written for this query */
  read(cookie: string, query: JsonValue): PagePlace {
    const [place = '', signature = ''] = cookie.length > LONGEST ? [] : cookie.split('.');
    const given = Buffer.from(signature, 'base64url');
    const expected = this.signature(place, query);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw badRequest('_pagedResultsCookie does not belong to this query');
    }
    const [id, ...ranks] = JSON.parse(Buffer.from(place, 'base64url').toString()) as [string, ...Rank[]];
    return { ranks, id };
  }

  private signature(place: string, query: JsonValue): Buffer {
    return createHmac('sha256', this.key)
      .update(`${place}\n${canonicalJson(query)}`)
      .digest();
  }
}
