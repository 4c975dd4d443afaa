import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { SecretsProvider } from '../heap/objects/secrets.ts';

const TIME_BYTES = 6;
const MAC_BYTES = 16;
const KEY_WORDS = 8;

/** Keys that nonces are signed with: the first signs, all of them verify. */
export type NonceKeys = readonly Uint8Array[];

/** Issues and checks DPoP nonces (RFC 9449, section 9). A nonce holds its time and a MAC, so nothing is stored. */
export class DpopNonces {
  static readonly keyBytes = KEY_WORDS * Uint32Array.BYTES_PER_ELEMENT;
  private readonly maxAge: number;

  /** @param maxAge Milliseconds for which a nonce is accepted. */
  constructor(maxAge: number) {
    this.maxAge = maxAge;
  }

  issue([key]: NonceKeys, now: number): string {
    const time = Buffer.alloc(TIME_BYTES);
    time.writeUIntBE(Math.floor(now), 0, TIME_BYTES);
    return Buffer.concat([time, macOf(time, key!)]).toString('base64url');
  }

  isGood(nonce: unknown, keys: NonceKeys, now: number): boolean {
    if (typeof nonce !== 'string') return false;
    const bytes = Buffer.from(nonce, 'base64url');
    if (bytes.length !== TIME_BYTES + MAC_BYTES || bytes.toString('base64url') !== nonce) return false;
    const time = bytes.subarray(0, TIME_BYTES);
    const mac = bytes.subarray(TIME_BYTES);
    if (!keys.some((key) => timingSafeEqual(macOf(time, key), mac))) return false;
    const age = now - time.readUIntBE(0, TIME_BYTES);
    return age >= -this.maxAge && age <= this.maxAge;
  }
}

/** Keys that every gateway with the same secret has. */
export async function sharedNonceKeys(provider: SecretsProvider, secretId: string): Promise<NonceKeys> {
  return (await provider.valid(secretId)).map((secret) => secret.reveal());
}

/** A random key that all units read from their shared memory, whichever of them comes first. */
export function ownNonceKeys(memory: SharedArrayBuffer): NonceKeys {
  const words = new Uint32Array(memory, 0, KEY_WORDS);
  for (let at = 0; at < KEY_WORDS; at++) Atomics.compareExchange(words, at, 0, randomInt(1, 2 ** 32));
  return [new Uint8Array(words.slice().buffer)];
}

function macOf(time: Uint8Array, key: Uint8Array): Buffer {
  return createHmac('sha256', key).update('dpop nonce').update(time).digest().subarray(0, MAC_BYTES);
}
