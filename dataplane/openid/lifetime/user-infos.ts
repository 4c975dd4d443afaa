import { hash } from 'node:crypto';
import type { Logger } from 'pino';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import { callHandler, type OwnAnswer } from '../../engine/backend/own-call.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';
import { audiencesOf, type Claims, readClaims, timeFault } from '../../jose/claims.ts';
import { readJws } from '../../jose/compact-jws.ts';
import { readJsonObject } from '../../jose/strict-json.ts';
import { verifyWithSecrets } from '../../jose/verification.ts';
import type { SignedIn } from '../client/signed-in.ts';
import type { DpopProver } from './dpop-prover.ts';
import { idTokenClaims } from './refreshed-id-token.ts';

const MOST_ENTRIES = 10_000;
/** Bytes of all cached answers together. */
const MOST_BYTES = 32 << 20;
const MOST_CONTENT = 256 << 10;
const TIMEOUT = 10_000;
/** Milliseconds in which nobody asks again after a failure. */
const FAILURE_PAUSE = 5000;
const SKEW = 60_000;

interface Cached {
  readonly info: Claims | null;
  readonly until: number;
  readonly bytes: number;
}

export interface UserInfosOptions {
  /** Milliseconds that an answer is used. */
  readonly lifetime: number;
  readonly log: Logger;
  /** Null for bearer tokens. */
  readonly prover?: DpopProver | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Claims of users from the user info endpoint, cached by access token. Requests for the same token wait for one call. A
 * provider that does not answer, or answers for another user, gives none; the request goes on without them.
 */
export class UserInfos {
  private readonly options: UserInfosOptions;
  private readonly now: () => number;
  private readonly failures: PacedWarning;
  private readonly cached = new Map<string, Cached>();
  private readonly running = new Map<string, Promise<Claims | null>>();
  private readonly keys = new WeakMap<SignedIn, string>();
  private bytes = 0;

  constructor(options: UserInfosOptions) {
    this.options = options;
    this.now = options.now ?? (() => Date.now());
    this.failures = new PacedWarning(options.log, 'no user info; the request goes on without it', { most: 1 });
  }

  /** Returns the claims about the user; null where the provider has no such endpoint or gives none. */
  of(
    signedIn: SignedIn,
    registration: ClientRegistration,
    exchange: Exchange | null,
  ): Claims | null | Promise<Claims | null> {
    const key = this.keyOf(signedIn, registration);
    const found = this.cached.get(key);
    if (found !== undefined && this.now() < found.until) return found.info;
    if (found !== undefined) this.forget(key, found);
    const running = this.running.get(key);
    if (running !== undefined) return running;
    const fetching = this.fetched(key, signedIn, registration, exchange).finally(() => this.running.delete(key));
    this.running.set(key, fetching);
    return fetching;
  }

  /** A kept session gives the same object to many requests: its digest is made once. */
  private keyOf(signedIn: SignedIn, { name }: ClientRegistration): string {
    const known = this.keys.get(signedIn);
    if (known !== undefined) return known;
    const key = hash('sha256', `${name} ${signedIn.accessToken}`, 'base64url');
    this.keys.set(signedIn, key);
    return key;
  }

  private async fetched(
    key: string,
    signedIn: SignedIn,
    registration: ClientRegistration,
    exchange: Exchange | null,
  ): Promise<Claims | null> {
    try {
      const { userInfo: uri } = (await registration.issuer.metadata()).endpoints;
      if (uri === undefined) return this.keep(key, null, this.options.lifetime, 0);
      const answer = await this.ask(uri, signedIn, registration, exchange);
      const info = await readInfo(answer, signedIn, registration, this.now());
      return this.keep(key, info, this.options.lifetime, answer.content.length);
    } catch (error) {
      this.failures.give({ registration: registration.name, reason: errorText(error) });
      return this.keep(key, null, Math.min(FAILURE_PAUSE, this.options.lifetime), 0);
    }
  }

  private ask(
    uri: string,
    { accessToken, tokenType }: SignedIn,
    { issuer }: ClientRegistration,
    parent: Exchange | null,
  ): Promise<OwnAnswer> {
    const limits = { parent, limit: MOST_CONTENT, timeout: TIMEOUT };
    const { prover = null } = this.options;
    const isBound = tokenType.toLowerCase() === 'dpop';
    const headers = {
      Authorization: `${isBound ? 'DPoP' : 'Bearer'} ${accessToken}`,
      Accept: 'application/json, application/jwt',
    };
    if (!isBound || prover === null) return callHandler(issuer.handler, { method: 'GET', uri, headers }, limits);
    return prover.send('GET', accessToken, async (prove) => {
      const proven = { ...headers, ...(await prove(uri)) };
      return callHandler(issuer.handler, { method: 'GET', uri, headers: proven }, limits);
    });
  }

  private keep(key: string, info: Claims | null, lifetime: number, bytes: number): Claims | null {
    if (lifetime <= 0) return info;
    this.cached.set(key, { info, until: this.now() + lifetime, bytes });
    this.bytes += bytes;
    for (const [oldest, entry] of this.cached) {
      if (this.cached.size <= MOST_ENTRIES && this.bytes <= MOST_BYTES) break;
      this.forget(oldest, entry);
    }
    return info;
  }

  private forget(key: string, { bytes }: Cached): void {
    if (this.cached.delete(key)) this.bytes -= bytes;
  }
}

/** Reads an answer (OpenID Connect Core, section 5.3). @throws an error whose message is safe for a log */
async function readInfo(
  { status, header, content }: OwnAnswer,
  { idToken, issuer }: SignedIn,
  registration: ClientRegistration,
  now: number,
): Promise<Claims> {
  if (status !== 200) throw new Error(`the user info endpoint answered ${status}`);
  const isJwt = /^application\/jwt\b/i.test(header('content-type') ?? '');
  const info = isJwt
    ? await readSigned(content.toString('latin1').trim(), issuer, registration, now)
    : readJsonObject(content);
  if (info === null) throw new Error('the response of the user info endpoint is not a JSON object');
  const claims = idToken === null ? null : idTokenClaims(idToken);
  if (claims !== null && info['sub'] !== claims['sub']) throw new Error('the user info is of another user');
  return info;
}

async function readSigned(
  text: string,
  issuer: string | null,
  { keys, clientId }: ClientRegistration,
  now: number,
): Promise<Claims | null> {
  const jws = readJws(text);
  if (jws === null) throw new Error('the user info is not a signed JWT');
  if (keys !== null && !(await verifyWithSecrets(jws, keys.provider, keys.secretId))) {
    throw new Error('the signature of the user info is not valid');
  }
  const claims = readClaims(jws.payload);
  if (claims === null) return null;
  const { iss, aud } = claims;
  if (iss !== undefined && issuer !== null && iss !== issuer) throw new Error('the user info is of another issuer');
  if (aud !== undefined && !audiencesOf(claims).includes(clientId))
    throw new Error('the user info is for another client');
  if (timeFault(claims, now, SKEW) !== null) throw new Error('the user info has expired or is not valid yet');
  return claims;
}
