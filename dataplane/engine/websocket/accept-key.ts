import { createHash } from 'node:crypto';

/** What every server adds to the key (RFC 6455 §1.3). */
const SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Sixteen bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{22}==$/;

/** Returns the answer of a server to the key of a client, or null for an invalid key. */
export function acceptFor(key: string): string | null {
  if (!KEY.test(key)) return null;
  return createHash('sha1')
    .update(key + SUFFIX)
    .digest('base64');
}
