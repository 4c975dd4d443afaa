import type { JsonObject } from '../../contract/document/json-value.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import type { Response } from '../engine/message/response.ts';
import type { CookieScope, Session } from '../engine/message/session.ts';
import type { Parts } from '../heap/definition.ts';
import type { RouteSessions, SessionManager } from '../heap/objects/sessions.ts';
import type { CookieRule } from './cookie-fields.ts';
import { GROUP_METHOD, type GroupKeys } from './group-keys.ts';
import { ManagedSessions } from './managed-sessions.ts';
import { realmCookie } from './realm-cookie.ts';
import { SealedSessions } from './sealed-sessions.ts';
import { SessionCookie } from './session-cookie.ts';

/** The cookie of the default manager. */
const COOKIE: CookieRule = { name: 'IG_SESSIONID', path: '/', httpOnly: true, secure: false, sameSite: 'LAX' };

/** The maximum lifetime of the default sessions in memory; controllers keep a key for longer after its last use. */
const LIFETIME = 12 * 60 * 60 * 1000;

/**
 * The default object `Session`: seals sessions under the keys of the plane group, so that every plane of the group goes
 * on with them. Without such keys the sessions are in memory.
 */
export function groupSessions(
  keys: GroupKeys,
  inMemory: SessionManager,
  parts: Pick<Parts, 'log' | 'type' | 'qualifiedName'>,
): SessionManager {
  return {
    sessions(owner) {
      const cookie = new SessionCookie(realmCookie(COOKIE, owner));
      const terms = {
        realm: owner.realm,
        method: GROUP_METHOD,
        timeout: LIFETIME,
        skew: 0,
        isPersistent: false,
        compresses: false,
      };
      const names = { cookieName: cookie.name, configuredName: COOKIE.name, cookieScope: COOKIE };
      const sealed = new ManagedSessions(names, new SealedSessions(terms, keys, cookie), parts);
      return new EitherSessions(keys, sealed, inMemory.sessions(owner));
    },
  };
}

/** Sessions that are sealed while there are keys. An exchange leaves by the sessions that it entered. */
class EitherSessions implements RouteSessions {
  readonly cookieName: string;
  readonly configuredName: string;
  readonly cookieScope: CookieScope;
  private readonly keys: GroupKeys;
  private readonly sealed: RouteSessions;
  private readonly held: RouteSessions;

  constructor(keys: GroupKeys, sealed: RouteSessions, held: RouteSessions) {
    this.cookieName = sealed.cookieName;
    this.configuredName = sealed.configuredName;
    this.cookieScope = sealed.cookieScope;
    this.keys = keys;
    this.sealed = sealed;
    this.held = held;
  }

  begin(): Session {
    return this.current.begin();
  }

  seal(purpose: string, content: JsonObject, lifetime: number): string {
    return this.current.seal(purpose, content, lifetime);
  }

  unseal(purpose: string, text: string): JsonObject | null {
    return this.current.unseal(purpose, text);
  }

  enter(exchange: Exchange): PromiseLike<void> | null {
    return this.current.enter(exchange);
  }

  leave(response: Response | null, exchange: Exchange): Response | null {
    return (exchange.sessionPlace === this.sealed ? this.sealed : this.held).leave(response, exchange);
  }

  private get current(): RouteSessions {
    return this.keys.ciphers === null ? this.held : this.sealed;
  }
}
