import { createHash, randomBytes } from 'node:crypto';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { parseCookies } from '../../engine/head/cookies.ts';
import { filterCookies } from '../../engine/head/filter-cookies.ts';
import type { Headers } from '../../engine/head/headers.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { SessionPlace } from '../../engine/message/session.ts';
import type { ClientRegistration } from '../../heap/objects/openid-client.ts';

/** A sign-in that is under way: from the redirect to the provider to the callback. */
export interface SignInAttempt {
  /** Random, sent to the provider and back. */
  readonly state: string;
  /** Random, sent to the provider and back in the ID token. */
  readonly nonce: string;
  /** Random, sent with the code only (RFC 7636). */
  readonly verifier: string;
  /** Key of the session value that the sign-in will set. */
  readonly sessionKey: string;
  /** Name of the registration. */
  readonly registration: string;
  /** Identity of the registration. */
  readonly client: string;
  /** Where the browser goes afterwards, or null. */
  readonly goto: string | null;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
}

/** How long a user may take to sign in, in milliseconds. */
export const ATTEMPT_LIFETIME = 600_000;
/** Attempts of one browser, and characters of their cookies: servers limit the headers. A new one replaces the oldest. */
const MOST_ATTEMPTS = 8;
const MOST_CHARACTERS = 8192;
const PURPOSE = 'sign-in';
const MARK = '-signin-';
/** Characters of the hash in the name of a cookie. */
const HASH_LENGTH = 16;
const HOST_PREFIX = '__Host-';
const SECRET_BYTES = 32;

/**
 * Sign-ins that are under way, each in a cookie of its own beside the session cookie, so that tabs do not overwrite each
 * other. The cookie is sealed by the session manager. Over https it has the prefix `__Host-` where the session cookie is
 * of one host: other hosts of the domain cannot set it, and put no attempt of theirs into the browser.
 */
export class SignInAttempts {
  private readonly now: () => number;
  private readonly isPosted: boolean;

  /** @param isPosted whether a form of another site leads back, instead of a redirect */
  constructor(now: () => number = Date.now, isPosted = false) {
    this.now = now;
    this.isPosted = isPosted;
  }

  create(
    sessionKey: string,
    { name: registration, identity: client }: Pick<ClientRegistration, 'name' | 'identity'>,
    goto: string | null,
  ): SignInAttempt {
    const [state, nonce, verifier] = [secret(), secret(), secret()];
    return { state, nonce, verifier, sessionKey, registration, client, goto, startedAt: this.now() };
  }

  /** `Set-Cookie` lines that keep an attempt, and remove the oldest of too many. */
  lines(attempt: SignInAttempt, exchange: Exchange, isSecure: boolean): string[] {
    const place = placeOf(exchange);
    const content: JsonObject = { ...attempt };
    const text = place.seal(PURPOSE, content, ATTEMPT_LIFETIME);
    const name = cookieName(place, attempt.state, isSecure);
    const removals = superfluous(exchange, place, text.length).map((old) => this.removalOf(old, place, isSecure));
    return [`${name}=${text}${this.attributes(place, isSecure)}; Max-Age=${ATTEMPT_LIFETIME / 1000}`, ...removals];
  }

  /** The attempt of this state that this browser began; null for any other. */
  open(state: string, exchange: Exchange, isSecure: boolean): SignInAttempt | null {
    const place = placeOf(exchange);
    const values = parseCookies(exchange.request.headers.all('cookie')).get(cookieName(place, state, isSecure));
    // of two cookies one came from somebody else
    if (values?.length !== 1) return null;
    const attempt = readAttempt(place, values[0]!);
    return attempt?.state === state ? attempt : null;
  }

  /** The `Set-Cookie` line that ends an attempt. */
  removal(state: string, exchange: Exchange, isSecure: boolean): string {
    const place = placeOf(exchange);
    return this.removalOf(cookieName(place, state, isSecure), place, isSecure);
  }

  private removalOf(name: string, place: SessionPlace, isSecure: boolean): string {
    return `${name}=${this.attributes(place, isSecure)}; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT`;
  }

  /**
   * Those of the session cookie, but a page of the provider leads to the callback: `Strict` would keep the cookie back,
   * and `Lax` from a form. Without TLS browsers accept no `None`; without the attribute they send it with forms, for two
   * minutes.
   */
  private attributes({ cookieScope }: SessionPlace, isSecure: boolean): string {
    const { path, domain, secure, sameSite } = cookieScope;
    const flags = `; HttpOnly${secure || isSecure ? '; Secure' : ''}`;
    const usual = sameSite === 'NONE' ? '; SameSite=None' : '; SameSite=Lax';
    const posted = secure || isSecure ? '; SameSite=None' : '';
    const site = this.isPosted ? posted : usual;
    return `; Path=${path}${domain === undefined ? '' : `; Domain=${domain}`}${site}${flags}`;
  }
}

/** Takes the cookies of attempts out of a request, so that the backend does not see them. */
export function dropAttempts(headers: Headers, place: SessionPlace): void {
  if (!headers.has('cookie') || !headers.all('cookie').some((line) => line.includes(MARK))) return;
  filterCookies(headers, (name) => !isAttempt(name, place));
}

/** Names of the oldest attempts, as many as there are too many with a new one of this length. */
function superfluous({ request }: Exchange, place: SessionPlace, length: number): string[] {
  const found = [...parseCookies(request.headers.all('cookie'))]
    .filter(([name]) => isAttempt(name, place))
    .map(([name, [text = '']]) => ({ name, text, startedAt: readAttempt(place, text)?.startedAt ?? 0 }))
    .sort((one, other) => other.startedAt - one.startedAt);
  let characters = length;
  let kept = 0;
  for (const { text } of found.slice(0, MOST_ATTEMPTS - 1)) {
    characters += text.length;
    if (characters > MOST_CHARACTERS) break;
    kept++;
  }
  return found.slice(kept).map(({ name }) => name);
}

function placeOf({ sessionPlace }: Exchange): SessionPlace {
  if (sessionPlace === null) throw new Error('there are no sessions here, which a sign-in needs');
  return sessionPlace;
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function cookieName(place: SessionPlace, state: string, isSecure: boolean): string {
  const { cookieName: base, cookieScope } = place;
  const hash = createHash('sha256').update(state).digest('base64url').slice(0, HASH_LENGTH);
  const isOfHost = isSecure && cookieScope.domain === undefined && cookieScope.path === '/';
  return `${isOfHost && !base.startsWith(HOST_PREFIX) ? HOST_PREFIX : ''}${base}${MARK}${hash}`;
}

function isAttempt(name: string, { cookieName: base }: SessionPlace): boolean {
  const bare = name.startsWith(base) || !name.startsWith(HOST_PREFIX) ? name : name.slice(HOST_PREFIX.length);
  return bare.startsWith(base + MARK) && bare.length === base.length + MARK.length + HASH_LENGTH;
}

function readAttempt(place: SessionPlace, text: string): SignInAttempt | null {
  const content = place.unseal(PURPOSE, text);
  return content === null ? null : (content as unknown as SignInAttempt); // nothing else is sealed for this purpose
}
