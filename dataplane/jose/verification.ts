import { type CryptoKey, NoSuchSecret, type SecretsProvider } from '../heap/objects/secrets.ts';
import type { CompactJws } from './compact-jws.ts';
import { PacedWork } from './paced-work.ts';
import { mayVerify, verifies } from './signature.ts';

/**
 * Milliseconds of a turn that verifications may take. A request that has to wait for another turn costs more, and
 * everything else waits for as long as this: about 60 tokens with RSA keys that nobody has seen.
 */
const PER_TURN = 3;

/** Verifications of a unit; a flood of tokens that nobody has seen does not keep everything else from its turn. */
const verifications = new PacedWork({ perTurn: PER_TURN, mostWaiting: 2000 });

/** A token was not looked at because too many wait to be. It may be good: whoever sent it should try again later. */
export class VerificationBusy extends Error {
  constructor() {
    super('too many tokens wait to be verified');
    this.name = 'VerificationBusy';
  }
}

/**
 * Whether a token is signed with one of the keys under a secret id. The key that its `kid` names is the only one to be
 * tried; without a `kid`, or when it names none of them, all are tried in their order. Nobody waits where the keys are at
 * hand and the turn has time for it. Throws or rejects with `VerificationBusy` when too many wait, and rejects with the
 * error of the provider when the keys cannot be had.
 */
export function verifyWithSecrets(
  jws: CompactJws,
  provider: SecretsProvider,
  secretId: string,
): boolean | Promise<boolean> {
  const all = provider.keysAtHand?.('verify', secretId) ?? [];
  const named = jws.kid === null ? all : namedOf(all, jws.kid);
  if (named.length > 0) return verifiedByAny(jws, named, 0);
  return keysFor(jws.kid, provider, secretId).then((keys) => verifiedByAny(jws, keys, 0));
}

function verifiedByAny(jws: CompactJws, keys: readonly CryptoKey[], from: number): boolean | Promise<boolean> {
  for (let i = from; i < keys.length; i++) {
    const verdict = verified(jws, keys[i]!);
    if (verdict === true) return true;
    if (verdict === false) continue;
    return i + 1 === keys.length ? verdict : verdict.then((good) => good || verifiedByAny(jws, keys, i + 1));
  }
  return false;
}

function namedOf(keys: readonly CryptoKey[], kid: string): readonly CryptoKey[] {
  return keys.filter(({ stableId }) => stableId === kid);
}

/** The keys to try: those of this name, which several may share (RFC 7517, section 4.5), or all when there is none. */
async function keysFor(kid: string | null, provider: SecretsProvider, secretId: string): Promise<readonly CryptoKey[]> {
  const all = provider.keys('verify', secretId);
  if (kid === null) return await all;
  const known = await all.catch((error: unknown) => notFound(error));
  const named = namedOf(known, kid);
  if (named.length > 0) return named;
  // a store may look for it elsewhere, and one store may have it where another cannot say what it has
  const late = await namedKey(provider, 'verify', secretId, kid);
  return late === null ? await all : [late];
}

/** Whatever is wrong is told when the keys are needed. */
function notFound(_error: unknown): readonly CryptoKey[] {
  return [];
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
