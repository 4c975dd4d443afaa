import { hash, randomUUID } from 'node:crypto';
import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import { isNqText } from '../../heap/objects/access-tokens.ts';
import type { CryptoKey } from '../../heap/objects/secrets.ts';
import { publicJwkOf } from '../../jose/jwk.ts';
import { sign } from '../../jose/signature.ts';
import { readJsonObject } from '../../jose/strict-json.ts';

/** Members of a JWK that identify a key; proofs show no others. */
const SHOWN = ['kty', 'crv', 'x', 'y', 'n', 'e', 'pub', 'alg'];
/** Servers whose nonces are remembered at most. */
const MOST_SERVERS = 256;
const LONGEST_NONCE = 512;

/** A request to prove. */
export interface Provable {
  readonly method: string;
  readonly uri: string;
  /** The access token that is sent with it; null at a token endpoint. */
  readonly token: string | null;
}

/** Proves that the gateway has the key that tokens are bound to (RFC 9449). */
export class DpopProver {
  private readonly key: () => Promise<CryptoKey>;
  private readonly algorithm: string;
  private readonly nonces = new Map<string, string>();

  /** @param key returns the signing key; asked for each proof */
  constructor(key: () => Promise<CryptoKey>, algorithm: string) {
    this.key = key;
    this.algorithm = algorithm;
  }

  /** Sends a request with a proof, and once more when the server asks for another nonce. */
  async send(
    method: string,
    token: string | null,
    call: (prove: (uri: string) => Promise<Readonly<Record<string, string>>>) => Promise<OwnAnswer>,
  ): Promise<OwnAnswer> {
    let origin = '';
    const prove = async (uri: string): Promise<Readonly<Record<string, string>>> => {
      origin = new URL(uri).origin;
      return { DPoP: await this.proof({ method, uri, token }) };
    };
    const first = await call(prove);
    const isNew = this.takeNonce(origin, first);
    if (!isNew || !asksForNonce(first)) return first;
    const second = await call(prove);
    this.takeNonce(origin, second);
    return second;
  }

  private async proof({ method, uri, token }: Provable): Promise<string> {
    const key = await this.key();
    const { origin, pathname } = new URL(uri);
    const nonce = this.nonces.get(origin);
    const claims = {
      jti: randomUUID(),
      htm: method,
      htu: `${origin}${pathname}`,
      iat: Math.floor(Date.now() / 1000),
      ...(token === null ? {} : { ath: hash('sha256', token, 'base64url') }),
      ...(nonce === undefined ? {} : { nonce }),
    };
    const jwk = Object.fromEntries(Object.entries(publicJwkOf(key)).filter(([name]) => SHOWN.includes(name)));
    return sign({ typ: 'dpop+jwt', jwk }, JSON.stringify(claims), key, this.algorithm);
  }

  /** @returns whether the server named another nonce than before */
  private takeNonce(origin: string, answer: OwnAnswer): boolean {
    const nonce = answer.header('dpop-nonce');
    if (nonce === null || nonce.length > LONGEST_NONCE || !isNqText(nonce)) return false;
    if (this.nonces.get(origin) === nonce) return false;
    if (this.nonces.size >= MOST_SERVERS) this.nonces.clear();
    this.nonces.set(origin, nonce);
    return true;
  }
}

/** Token endpoints ask in their content, others in their challenge (RFC 9449, sections 8 and 9). */
function asksForNonce({ status, content, header }: OwnAnswer): boolean {
  if (status !== 400 && status !== 401) return false;
  if (readJsonObject(content)?.['error'] === 'use_dpop_nonce') return true;
  return /^DPoP\b.*\berror="use_dpop_nonce"/i.test(header('www-authenticate') ?? '');
}
