import { decodeBase64url } from './base64url.ts';
import { signatureAlgorithm } from './signature-algorithm.ts';
import { readJsonObject } from './strict-json.ts';

/** Characters of a token; whatever is longer was not made to be sent in a header. */
export const LONGEST_TOKEN = 65_536;

/** A signed token whose form is sound. Nothing in it is to be believed before its signature is verified. */
export interface CompactJws {
  readonly header: JoseHeader;
  /** One of `signatureAlgorithms`. */
  readonly alg: string;
  readonly kid: string | null;
  readonly payload: Buffer;
  /** The bytes that are signed. */
  readonly signingInput: Buffer;
  readonly signature: Buffer;
}

/**
 * Reads a JWS in compact serialisation (RFC 7515, section 7.1), or gives null: for anything but three parts in canonical
 * base64url, a header that is no JSON object with different names, an unknown `alg` or `none`, and for extensions of the
 * form (`crit`, `b64`), none of which is understood here.
 */
export function readJws(text: string): CompactJws | null {
  const headerEnd = text.indexOf('.');
  const payloadEnd = text.indexOf('.', headerEnd + 1);
  if (text.length > LONGEST_TOKEN || headerEnd < 0 || payloadEnd < 0) return null;
  const header = readHeader(text.slice(0, headerEnd));
  if (header === null) return null;
  const alg = header['alg'];
  if (typeof alg !== 'string' || signatureAlgorithm(alg) === undefined || Object.hasOwn(header, 'b64')) return null;
  const payload = decodeBase64url(text.slice(headerEnd + 1, payloadEnd));
  const signature = decodeBase64url(text.slice(payloadEnd + 1));
  if (payload === null || signature === null || signature.length === 0) return null;
  const signingInput = Buffer.from(text.slice(0, payloadEnd), 'latin1');
  return { header, alg, kid: header.kid ?? null, payload, signingInput, signature };
}

/** A header in which these are texts if they are given; the rest is not judged. */
export interface JoseHeader extends Readonly<Record<string, unknown>> {
  readonly kid?: string;
  readonly typ?: string;
  readonly cty?: string;
}

/** Headers by what they are written as: all tokens that one key signed usually have the same. */
const known = new Map<string, JoseHeader>();
const MOST_KNOWN = 64;
const LONGEST_KNOWN = 512;

/** Members, items and levels of a header: a chain of certificates has a few, and long texts. */
const MOST_PIECES = 256;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** The header that every kind of token must have: a JSON object with different names, without `crit`; null for others. */
export function readHeader(encoded: string): JoseHeader | null {
  const before = known.get(encoded);
  if (before !== undefined) return before;
  const header = parsedHeader(encoded);
  if (header === null || encoded.length > LONGEST_KNOWN) return header;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(encoded, header);
  return header;
}

function parsedHeader(encoded: string): JoseHeader | null {
  const bytes = decodeBase64url(encoded);
  const header = bytes === null || hasManyPieces(bytes) ? null : readJsonObject(bytes);
  return header !== null && isHeader(header) ? header : null;
}

/** A header is read before anything is verified: many small values would cost more than the signature. */
function hasManyPieces(bytes: Buffer): boolean {
  if (bytes.length <= MOST_PIECES) return false;
  let pieces = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === COMMA || byte === COLON || byte === BRACKET || byte === BRACE) pieces++;
  }
  return pieces > MOST_PIECES;
}

function isHeader(header: Readonly<Record<string, unknown>>): header is JoseHeader {
  return (
    !Object.hasOwn(header, 'crit') &&
    isTextIfGiven(header['kid']) &&
    isTextIfGiven(header['typ']) &&
    isTextIfGiven(header['cty'])
  );
}

function isTextIfGiven(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
