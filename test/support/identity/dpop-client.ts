import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';

/** What differs from a sound proof; undefined takes a member away. */
export interface ProofWish {
  readonly method?: string;
  readonly uri: string;
  /** The token that it is sent with. */
  readonly token?: string;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** A client with a key that makes DPoP proofs with ES256. */
export class DpopClient {
  /** The public half of its key as a JWK. */
  readonly jwk: Readonly<Record<string, unknown>>;
  /** The private half. */
  readonly key: KeyObject;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.key = privateKey;
    this.jwk = { ...publicKey.export({ format: 'jwk' }) };
  }

  /** What tokens that are bound to the key have in `cnf`. */
  get thumbprint(): string {
    const { crv, kty, x, y } = this.jwk as Record<string, string>;
    return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  }

  proof({ method = 'GET', uri, token, header = {}, claims = {} }: ProofWish): string {
    const content = {
      jti: randomUUID(),
      htm: method,
      htu: uri,
      iat: Math.floor(Date.now() / 1000),
      ...(token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
      ...claims,
    };
    return this.signed({ typ: 'dpop+jwt', alg: 'ES256', jwk: this.jwk, ...header }, content);
  }

  /** A JWT that is signed with the key, whatever its header says. */
  signed(header: object, claims: object): string {
    const input = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const signature = sign('sha256', Buffer.from(input), { key: this.key, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}`;
  }
}
