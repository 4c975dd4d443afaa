import { createECDH } from 'node:crypto';
import type { CryptoKey } from '../../heap/objects/secrets.ts';
import { cryptoKeyOf } from '../../jose/jwk.ts';
import { temporaryKey } from '../../sessions/temporary-key.ts';

const CURVE = 'prime256v1';
const COORDINATE = 32;

/** A key on the curve P-256 that all units which share the memory have, until the plane ends. */
export function temporaryDpopKey(memory: SharedArrayBuffer): CryptoKey {
  const scalar = temporaryKey(memory, COORDINATE).export();
  const pair = createECDH(CURVE);
  pair.setPrivateKey(scalar);
  const point = pair.getPublicKey();
  const text = (from: number): string => point.subarray(from, from + COORDINATE).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', d: scalar.toString('base64url'), x: text(1), y: text(1 + COORDINATE) };
  return cryptoKeyOf(jwk).keys.find(({ key }) => key.type === 'private')!;
}
