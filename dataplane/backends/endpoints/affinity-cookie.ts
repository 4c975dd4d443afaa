import type { z } from 'zod';
import type { Exchange } from '../../engine/message/exchange.ts';
import { type CookieRule, cookieFields } from '../../sessions/cookie-fields.ts';
import { SessionCookie } from '../../sessions/session-cookie.ts';

/** Fields of `affinityCookie`. */
export const affinityFields = cookieFields('gw-endpoint');

/** Cookie that names the endpoint of a client. It lasts until the browser is closed. */
export class AffinityCookie {
  private readonly cookie: SessionCookie;

  constructor(rule: CookieRule & z.output<typeof affinityFields>) {
    this.cookie = new SessionCookie(rule);
  }

  /** Returns the id of the endpoint that a client wants to stay with, or null. */
  read({ request }: Exchange): string | null {
    if (!request.headers.has('cookie')) return null;
    return request.cookies.get(this.cookie.name)?.[0] ?? null;
  }

  /** Returns the `Set-Cookie` line for an endpoint. */
  line(id: string): string {
    return this.cookie.lines(id, 0, null)[0]!;
  }
}
