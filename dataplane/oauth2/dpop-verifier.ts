import { PacedWarning } from '../../platform/paced-warning.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import type { Parts } from '../heap/definition.ts';
import { invalidToken, type SchemeChallenge, type TokenRefusal } from '../heap/objects/access-tokens.ts';
import type { SecretsProvider } from '../heap/objects/secrets.ts';
import { DpopNonces, type NonceKeys, ownNonceKeys, sharedNonceKeys } from './dpop-nonces.ts';
import { type DpopProof, judgeProof, OTHER_KEY, proofAlgorithms } from './dpop-proof.ts';
import { SeenProofs } from './seen-proofs.ts';

const SCHEME = /^DPoP(?: |$)/i;

/** The proof of an exchange, for the next one in the same chain who asks for it. */
const accepted = new WeakMap<Exchange, string>();

export interface DpopOptions {
  /** Milliseconds that a proof may be old. */
  readonly maxAge: number;
  /** Milliseconds that clocks may differ. */
  readonly skew: number;
  /** Set where proofs must contain a nonce. Without a secret the plane makes up a key of its own. */
  readonly nonce: { readonly maxAge: number; readonly secret: SharedKey | null } | null;
}

interface SharedKey {
  readonly provider: SecretsProvider;
  readonly id: string;
}

/** Judges whether requests show that their client has the key to which a token is bound. */
export class DpopVerifier {
  readonly schemes: readonly string[] = ['DPoP'];
  readonly challenges: readonly SchemeChallenge[] = [
    { scheme: 'DPoP', parameters: [['algs', proofAlgorithms.join(' ')]] },
  ];
  private readonly options: DpopOptions;
  private readonly seen: SeenProofs;
  private readonly unremembered: PacedWarning;
  private readonly nonces: DpopNonces | null;
  private readonly ownKeys: NonceKeys;

  constructor(options: DpopOptions, parts: Parts) {
    this.options = options;
    this.unremembered = new PacedWarning(parts.log, 'DPoP proof rejected', { most: 1 });
    // that of the whole document, so that no proof counts again when what verifies it is declared elsewhere in it
    this.seen = new SeenProofs(shared(`dpop proofs ${parts.scope}`, SeenProofs.bytes));
    const { nonce } = options;
    this.nonces = nonce === null ? null : new DpopNonces(nonce.maxAge);
    const isOwn = nonce !== null && nonce.secret === null;
    this.ownKeys = isOwn ? ownNonceKeys(shared(`dpop nonces ${parts.scope}`, DpopNonces.keyBytes)) : [];

    function shared(name: string, bytes: number): SharedArrayBuffer {
      const memory = parts.plane.sharedMemory(name, bytes);
      parts.onClose(() => memory.release());
      return memory.buffer;
    }
  }

  /** For a token that is bound to a key: why this request may not use it, or null. */
  judge(token: string, thumbprint: string, exchange: Exchange): TokenRefusal | null | Promise<TokenRefusal | null> {
    const { method, headers } = exchange.request;
    if (!SCHEME.test(headers.get('authorization') ?? '')) {
      return invalidToken('the token is bound to a key and requires the DPoP scheme');
    }
    const [text, ...others] = headers.all('dpop');
    if (text === undefined || others.length > 0) return invalidProof('exactly one DPoP proof is required');
    const now = Date.now();
    const { maxAge, skew, nonce } = this.options;
    const request = { method, uri: exchange.router.originalUri, token, thumbprint };
    const proof = judgeProof(text, request, { now, maxAge, skew });
    if (proof === OTHER_KEY) return invalidToken(proof);
    if (typeof proof === 'string') return invalidProof(proof);
    if (accepted.get(exchange) === text) return null;
    if (nonce === null) return this.take(text, proof, exchange, now);
    const { secret } = nonce;
    if (secret === null) return this.takeWithNonce(text, proof, exchange, now, this.ownKeys);
    return sharedNonceKeys(secret.provider, secret.id).then((keys) =>
      this.takeWithNonce(text, proof, exchange, now, keys),
    );
  }

  /** For a token that is not bound to a key: it must not look as if it was. */
  unbound(exchange: Exchange): TokenRefusal | null {
    if (!SCHEME.test(exchange.request.headers.get('authorization') ?? '')) return null;
    return invalidToken('the token is not bound to a key and cannot use the DPoP scheme');
  }

  private takeWithNonce(
    text: string,
    proof: DpopProof,
    exchange: Exchange,
    now: number,
    keys: NonceKeys,
  ): TokenRefusal | null {
    if (this.nonces!.isGood(proof.nonce, keys, now)) return this.take(text, proof, exchange, now);
    const description = 'the DPoP proof lacks a current nonce';
    return { kind: 'refusal', error: 'use_dpop_nonce', description, cause: null, nonce: this.nonces!.issue(keys, now) };
  }

  private take(text: string, proof: DpopProof, exchange: Exchange, now: number): TokenRefusal | null {
    const sighting = this.seen.add(proof.id, Math.floor(now / 1000), Math.ceil(proof.usableUntil / 1000));
    if (sighting === 'seen') return invalidProof('the DPoP proof was used before');
    if (sighting === 'full') {
      this.unremembered.give({ reason: 'no room to remember more DPoP proofs; a shorter maxAge makes room' });
      return { ...invalidProof('the DPoP proof could not be verified'), undecided: true };
    }
    accepted.set(exchange, text);
    return null;
  }
}

function invalidProof(description: string): TokenRefusal {
  return { kind: 'refusal', error: 'invalid_dpop_proof', description, cause: null };
}
