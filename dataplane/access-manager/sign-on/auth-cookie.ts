import type { Exchange } from '../../engine/message/exchange.ts';
import type { CookieRule } from '../../sessions/cookie-fields.ts';
import { SessionCookie } from '../../sessions/session-cookie.ts';
import { takeCookies } from '../../sessions/taken-cookies.ts';

/** Cookies that one token may take: servers limit the headers. */
const MOST_PARTS = 3;

/** A cookie of the gateway that holds a token, in several parts where it is long. */
export class AuthCookie {
  readonly rule: CookieRule;
  private readonly plain: SessionCookie;
  private readonly secure: SessionCookie;

  constructor(rule: CookieRule) {
    this.rule = rule;
    this.plain = new SessionCookie(rule);
    this.secure = new SessionCookie({ ...rule, secure: true });
  }

  /**
   * Takes the cookie out of a request and returns the values that it can have: several where there are two of the same
   * name, of which another host of the domain may have set one; none where it is incomplete. Null without the cookie.
   */
  take({ request }: Exchange): readonly string[] | null {
    const parts = takeCookies(request.headers, this.rule.name);
    if (parts === null) return null;
    if (parts.length > MOST_PARTS) return [];
    return parts.reduce<string[]>((begun, ends) => begun.flatMap((begin) => ends.map((end) => begin + end)), ['']);
  }

  /**
   * `Set-Cookie` lines for a token; null where it is too long.
   * @param expiresAt in milliseconds since 1970, or null for a cookie that ends with the browser
   */
  lines(token: string, exchange: Exchange, expiresAt: number | null = null): string[] | null {
    const cookie = this.cookieFor(exchange);
    const parts = cookie.partsFor(token.length);
    if (parts > MOST_PARTS) return null;
    const unused = Array.from({ length: MOST_PARTS - parts }, (_, index) => cookie.removal(parts + index));
    return [...cookie.lines(token, Date.now(), expiresAt), ...(parts > 1 ? unused : [])];
  }

  removals(exchange: Exchange): string[] {
    const cookie = this.cookieFor(exchange);
    return Array.from({ length: MOST_PARTS }, (_, index) => cookie.removal(index));
  }

  private cookieFor({ originalUri }: Exchange): SessionCookie {
    return originalUri.scheme === 'https' ? this.secure : this.plain;
  }
}
