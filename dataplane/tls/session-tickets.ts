import { randomFillSync } from 'node:crypto';
import type { SecureContext } from 'node:tls';
import type { TicketKeys } from '../engine/wire/secure-transport.ts';

/** What the runtime wants to know when it seals or opens a ticket: what to do, two keys and, for sealing, two more. */
type TicketAnswer = [action: number, hmac: Buffer, aes: Buffer, name?: Buffer, iv?: Buffer];

/** A native context, as far as tickets go. */
interface TicketContext {
  enableTicketKeyCallback?: () => void;
  onticketkeycallback?: (name: Buffer, iv: Buffer, isSealed: boolean) => TicketAnswer;
}

const UNKNOWN = 0;
const SEAL = 1;
/** Open it, and give the client a new one: it may use each only once. */
const OPEN_AND_RENEW = 2;

/**
 * Lets a context seal tickets with keys that change. The runtime's own way has one key for ever and gives no new ticket
 * to who used one. @returns false where this Node has no such call.
 */
export function useTicketKeys({ context }: SecureContext, keys: TicketKeys): boolean {
  const native = context as TicketContext;
  if (typeof native.enableTicketKeyCallback !== 'function') return false;
  native.onticketkeycallback = (name, _iv, isSealed) => {
    const key = isSealed ? keys.current() : keys.named(name);
    if (key === null) {
      const { hmac, aes } = keys.current();
      return [UNKNOWN, hmac, aes];
    }
    if (isSealed) return [SEAL, key.hmac, key.aes, key.name, freshVector()];
    return [OPEN_AND_RENEW, key.hmac, key.aes];
  };
  native.enableTicketKeyCallback();
  return true;
}

const VECTOR = 16;
/** Random bytes for many tickets: what a call of the generator costs is mostly the call. */
const vectors = Buffer.allocUnsafeSlow(256 * VECTOR);
let used = vectors.length;

/** An initialisation vector that no other ticket gets; the runtime copies it at once. */
function freshVector(): Buffer {
  if (used === vectors.length) {
    randomFillSync(vectors);
    used = 0;
  }
  used += VECTOR;
  return vectors.subarray(used - VECTOR, used);
}

/** The key of now in the form that the runtime keeps for the life of a context. */
export function fixedTicketKeys(keys: TicketKeys): Buffer {
  const { name, hmac, aes } = keys.current();
  return Buffer.concat([name, hmac.subarray(0, 16), aes]);
}
