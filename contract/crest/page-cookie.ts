import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { canonicalJson } from '../document/canonical.ts';
import type { JsonValue } from '../document/json-value.ts';
import { badRequest } from './crest-error.ts';
import type { Rank } from './sort-keys.ts';

/** Place of a result in the order of a query. */
export interface PagePlace {
  readonly ranks: readonly Rank[];
  readonly id: string;
}

const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;
/** Places are padded to a multiple of so many bytes: their length is that of values, too. */
const BLOCK = 64;
const LONGEST = 65_536;

/**
 * Writes and reads page cookies. A cookie holds the place of the last result of its page, so that the next page begins
 * behind it even if that result is gone. It is encrypted, because the place has values of fields, and bound to its
 * query, which makes it worthless for others.
 */
export class PageCookies {
  private readonly key: Buffer;

  /** @param secret that all servers of the collection share */
  constructor(secret: Uint8Array) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'sealed page cookie', 32));
  }

  write({ ranks, id }: PagePlace, query: JsonValue): string {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(CIPHER, this.key, nonce, { authTagLength: TAG });
    cipher.setAAD(Buffer.from(canonicalJson(query)));
    const sealed = Buffer.concat([cipher.update(padded(JSON.stringify([id, ...ranks]))), cipher.final()]);
    return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** @throws CrestError for a cookie that was not written for this query */
  read(cookie: string, query: JsonValue): PagePlace {
    const bytes = Buffer.from(cookie.length > LONGEST ? '' : cookie, 'base64url');
    // the decoder skips what it does not know, so that one cookie would have many spellings
    const place = bytes.toString('base64url') === cookie ? this.opened(bytes, canonicalJson(query)) : null;
    if (place === null) throw badRequest('_pagedResultsCookie does not belong to this query');
    const [id, ...ranks] = JSON.parse(place) as [string, ...Rank[]];
    return { ranks, id };
  }

  private opened(bytes: Buffer, query: string): string | null {
    if (bytes.length < NONCE + TAG) return null;
    const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, NONCE), { authTagLength: TAG });
    decipher.setAAD(Buffer.from(query)).setAuthTag(bytes.subarray(-TAG));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]).toString();
    } catch {
      return null;
    }
  }
}

/** Blanks at the end of JSON mean nothing. */
function padded(json: string): Buffer {
  const bytes = Buffer.from(json);
  return Buffer.concat([bytes], Math.ceil(bytes.length / BLOCK) * BLOCK).fill(' ', bytes.length);
}
