import type { IncomingMessage } from 'node:http';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { ConsoleSession, ConsoleSessions } from './console-sessions.ts';
import type { OpenidSignIn } from './openid-sign-in.ts';

/** The session of a request, whose token may have been renewed. */
export interface CurrentSession {
  /** Null for nobody. */
  readonly session: Pick<ConsoleSession, 'token' | 'end'> | null;
  /** `Set-Cookie` lines for the answer. */
  readonly cookies: readonly string[];
}

/** Milliseconds before the end of a token from which on it is renewed. The console asks for its session once a minute. */
const RENEWED_BEFORE = 90_000;

/**
 * Renews tokens of sessions. Only requests for the session itself renew them: a browser sends one of these at a time, and
 * providers accept a refresh token once, whichever controller uses it.
 */
export class SessionRenewal {
  private readonly sessions: ConsoleSessions;
  private readonly openid: OpenidSignIn | null;
  private readonly clock: Clock;

  constructor(sessions: ConsoleSessions, openid: OpenidSignIn | null, clock: Clock = systemClock) {
    this.sessions = sessions;
    this.openid = openid;
    this.clock = clock;
  }

  /** Returns the session of a request with a valid token; `unavailable` if the provider does not answer. */
  async current(request: IncomingMessage): Promise<CurrentSession | 'unavailable'> {
    const { sessions, openid } = this;
    const session = sessions.sessionIn(request);
    if (session === null) return { session, cookies: [] };
    const { token, grant, until } = session;
    const left = until - this.clock.wall();
    if (openid === null || grant === null || left > RENEWED_BEFORE) {
      return { session: left > 0 ? session : null, cookies: [] };
    }
    const renewed = await openid.renew({ idToken: token, grant });
    if (renewed === 'unavailable') return renewed;
    if (renewed === null) return { session: null, cookies: sessions.end() };
    if (renewed.idToken === token && renewed.grant === grant) return { session, cookies: [] };
    // A longer refresh token may not fit: then the session ends with the new ID token.
    const begun =
      sessions.begin(renewed.idToken, renewed.grant, session) ?? sessions.begin(renewed.idToken, null, session);
    if (begun === null) return { session: null, cookies: sessions.end() };
    return { session: { token: renewed.idToken, end: begun.end }, cookies: begun.cookies };
  }
}
