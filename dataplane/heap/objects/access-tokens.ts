import type { Exchange } from '../../engine/message/exchange.ts';

/** A valid access token. The same object serves many requests. */
export interface AccessToken {
  readonly kind: 'token';
  /** The token as the client sent it. */
  readonly token: string;
  /** What the authorization server says of it, all of it JSON: the claims of a JWT, or the answer to an introspection. */
  readonly info: Readonly<Record<string, unknown>>;
  /** The token is a signed JWT and `info` all that its payload says: who keeps the token can read it from there again. */
  readonly carriesInfo?: boolean;
  readonly scopes: ReadonlySet<string>;
  /** Milliseconds since 1970; Infinity for a token that says nothing of its end. */
  readonly expiresAt: number;
}

/** Why a token is good for nothing. */
export interface TokenRefusal {
  readonly kind: 'refusal';
  /**
   * `invalid_request`: the authorization server would not even judge the token. `invalid_dpop_proof` and
   * `use_dpop_nonce`: the proof beside the token is bad, or lacks a nonce (RFC 9449, sections 7.1 and 9).
   */
  readonly error: 'invalid_token' | 'invalid_request' | 'invalid_dpop_proof' | 'use_dpop_nonce';
  /** For the client: says nothing about keys, addresses or other tokens. */
  readonly description: string;
  /** For the log, or null. */
  readonly cause: unknown;
  /** Set where nobody could judge the token: it may be good. */
  readonly undecided?: true;
  /** The nonce that the next proof must contain, sent as `DPoP-Nonce`. */
  readonly nonce?: string;
}

/** A challenge of a scheme other than `Bearer`. */
export interface SchemeChallenge {
  readonly scheme: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** Verdict on a token. */
export type Resolution = AccessToken | TokenRefusal;

/** Validates access tokens and returns their claims. */
export interface AccessTokenResolver {
  /**
   * Judges a token by itself: the answer may be used for other requests that carry it. `token` has the grammar of RFC
   * 6750. What is at hand is returned at once, without a promise. Whoever cannot decide refuses; a rejection is taken
   * for a refusal too. The exchange gives contexts to calls that are made for it and must not sway the verdict.
   */
  resolve(token: string, exchange: Exchange): Resolution | Promise<Resolution>;
  /**
   * Judges whether this request may use the token, such as by a key that the client has shown: asked for every request,
   * also where the resolution was kept. Null when it may.
   */
  confirm?(token: AccessToken, exchange: Exchange): TokenRefusal | null | Promise<TokenRefusal | null>;
  /**
   * Tells that what was said of tokens may no longer be true, such as when a key is gone that they are signed with:
   * whoever keeps resolutions forgets them. The result ends it.
   */
  watch?(listener: () => void): () => void;
  /** True if `resolve` would answer from a cache, for audit events; absent where there is none. */
  isCached?(token: string): boolean;
  /**
   * Schemes of the `Authorization` header under which tokens may come beside `Bearer`, such as `DPoP`. Whoever names one
   * judges in `confirm` whether a token came under the right one; who stands in front of a resolver names what it names.
   */
  readonly schemes?: readonly string[];
  /** Challenges that clients get beside that of `Bearer`, such as `DPoP algs="ES256"`. */
  readonly challenges?: readonly SchemeChallenge[];
}

/** Which scopes a request needs. */
export interface ResourceAccess {
  scopes(exchange: Exchange): ReadonlySet<string> | Promise<ReadonlySet<string>>;
}

/** A token that is not valid, in the words for the client. */
export function invalidToken(description: string, cause: unknown = null): TokenRefusal {
  return { kind: 'refusal', error: 'invalid_token', description, cause };
}

/** True for texts of NQCHAR (RFC 6749, appendix A), which scopes and nonces are. */
export function isNqText(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
}

/** A text for the log, which must not have the token. */
export function withoutToken(text: string, token: string): string {
  return token === '' ? text : text.replaceAll(token, '…');
}

/** A resolver that judges tokens in another way and is as the first one in everything else. */
export function resolvingBy(
  resolver: AccessTokenResolver,
  resolve: AccessTokenResolver['resolve'],
): AccessTokenResolver {
  const { schemes, challenges } = resolver;
  return {
    resolve,
    ...(resolver.confirm && { confirm: resolver.confirm.bind(resolver) }),
    ...(resolver.watch && { watch: resolver.watch.bind(resolver) }),
    ...(resolver.isCached && { isCached: resolver.isCached.bind(resolver) }),
    ...(schemes && { schemes }),
    ...(challenges && { challenges }),
  };
}
