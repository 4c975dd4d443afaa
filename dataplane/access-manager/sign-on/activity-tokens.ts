import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { Parts } from '../../heap/definition.ts';
import { configuredKeys, type KeyChoice } from '../../sessions/configured-keys.ts';
import { type CookieRule, cookieFields } from '../../sessions/cookie-fields.ts';
import { SealedContents } from '../../sessions/sealed-contents.ts';
import type { SessionKeys } from '../../sessions/session-keys.ts';
import { AuthCookie } from './auth-cookie.ts';
import { presentedCookies } from './presented-cookie.ts';

const PURPOSE = 'activity of an access manager session';
/** Milliseconds that a token is kept after its session became idle, so that it shows that the session is idle. */
const KEPT = 30 * 24 * 3_600_000;
/** Cookies of the name that are looked at. */
const MOST_VALUES = 8;

/** Last use of a session. Times are in milliseconds. */
export interface Activity {
  /** Since 1970. */
  readonly seenAt: number;
  readonly idleTimeout: number;
  /** Hash of the session token. */
  readonly session: string;
}

export interface ActivityTokensOptions {
  readonly cookie: CookieRule;
  readonly keys: SessionKeys;
  /** Tenant; empty for operators. */
  readonly realm: string;
  readonly method: string;
}

/** Fields of the cookie. */
export const activityCookie = cookieFields('x-ig-activity-tracker');

/** Reads and writes the cookie that tells when a session was last used: an encrypted token, bound to the session. */
export class ActivityTokens {
  private readonly keys: SessionKeys;
  private readonly cookie: AuthCookie;
  private readonly sealer: SealedContents;

  constructor({ cookie, keys, realm, method }: ActivityTokensOptions) {
    this.keys = keys;
    this.cookie = new AuthCookie(cookie);
    this.sealer = new SealedContents({ realm, cookieName: cookie.name, method, ciphers: () => keys.ciphers });
  }

  /** Null when the keys are at hand. Otherwise rejects with a SessionFault when they cannot be read. */
  ready(): Promise<void> | null {
    return this.keys.ciphers === null ? this.keys.read() : null;
  }

  /**
   * The last activity of a session that a request shows; null where it shows none. Cookies that no key opens, of other
   * sessions or of the future do not count: gateways with other keys, and hosts of the same domain, may have set them.
   * @param latest milliseconds since 1970
   */
  read({ request }: Exchange, session: string, latest: number): Activity | null {
    let found: Activity | null = null;
    for (const text of presentedCookies(request.headers, this.cookie.rule.name, MOST_VALUES)) {
      const content = this.sealer.unseal(PURPOSE, text);
      const activity = content === null ? null : activityIn(content);
      if (activity === null || activity.session !== session || activity.seenAt > latest) continue;
      if (found === null || activity.seenAt > found.seenAt) found = activity;
    }
    return found;
  }

  /** `Set-Cookie` lines for an activity. @throws SessionFault */
  lines({ seenAt, idleTimeout, session }: Activity, exchange: Exchange): readonly string[] {
    const lifetime = idleTimeout + KEPT;
    const text = this.sealer.seal(PURPOSE, { seenAt, idleTimeout, session }, lifetime);
    return this.cookie.lines(text, exchange, Date.now() + lifetime) ?? [];
  }

  removals(exchange: Exchange): readonly string[] {
    return this.cookie.removals(exchange).slice(0, 1);
  }
}

/** Returns the tokens of a filter. */
export function activityTokens(cookie: CookieRule, choice: KeyChoice, parts: Parts): ActivityTokens {
  const { method } = choice;
  return new ActivityTokens({ cookie, keys: configuredKeys(choice, parts), realm: parts.realm, method });
}

/** Returns what ties an activity to a session. */
export function sessionHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function activityIn({ seenAt, idleTimeout, session }: JsonObject): Activity | null {
  if (typeof seenAt !== 'number' || typeof idleTimeout !== 'number' || typeof session !== 'string') return null;
  return { seenAt, idleTimeout, session };
}
