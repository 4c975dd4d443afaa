import { type CryptoKey, NoSuchSecret, type SecretsProvider } from '../heap/secrets.ts';
import type { CompactJws } from './compact-jws.ts';
import { PacedWork } from './paced-work.ts';
import { mayVerify, verifies } from './signature.ts';

/** Verifications of a unit; a flood of tokens that nobody has seen leaves most of each turn to everything else. */
const verifications = new PacedWork({ perTurn: 1, mostWaiting: 2000 });

/** A token was not looked at because too many wait to be. It may be good: whoever sent it should try again later. */
export class VerificationBusy extends Error {
  constructor() {
    super('too many tokens wait to be verified');
    this.name = 'VerificationBusy';
  }
}

/**
 * Whether a token is signed with one of the keys under a secret id. The key that its `kid` names is the only one to be
 * tried; without a `kid`, or when it names none of them, all are tried in their order. Rejects with `VerificationBusy`
 * when too many wait, and with the error of the provider when the keys cannot be had.
 */
export async function verifyWithSecrets(
  jws: CompactJws,
  provider: SecretsProvider,
  secretId: string,
): Promise<boolean> {
  const named = jws.kid === null ? null : await namedKey(provider, 'verify', secretId, jws.kid);
  if (named !== null && mayVerify(jws.alg, named)) return await verified(jws, named);
  const keys = await provider.keys('verify', secretId);
  // keys of different types may have one name (RFC 7517, section 4.5)
  const tried = named === null ? keys : keys.filter(({ stableId }) => stableId === named.stableId);
  for (const key of tried) if (await verified(jws, key)) return true;
  return false;
}

/** The key that a name stands for, or null when it stands for none of them. */
export async function namedKey(
  provider: SecretsProvider,
  usage: 'verify' | 'decrypt' | 'unwrapKey' | 'agreeKey',
  secretId: string,
  kid: string,
): Promise<CryptoKey | null> {
  try {
    return await provider.named(usage, secretId, kid);
  } catch (error) {
    if (error instanceof NoSuchSecret) return null;
    throw error;
  }
}

function verified(jws: CompactJws, key: CryptoKey): boolean | Promise<boolean> {
  if (!mayVerify(jws.alg, key)) return false;
  if (verifications.isFull) throw new VerificationBusy();
  return verifications.run(() => verifies(jws, key));
}
