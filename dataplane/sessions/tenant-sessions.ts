import type { RouteSessions, SessionManager, SessionOwner } from '../heap/objects/sessions.ts';

/**
 * Sessions of tenants by their manager. Routes of one tenant share them: thousands of routes would each keep caches of
 * their own. No route of a tenant is inside another one, so that no exchange enters the same sessions twice.
 */
export class TenantSessions {
  private readonly known = new WeakMap<SessionManager, Map<string, RouteSessions>>();

  of(manager: SessionManager, owner: SessionOwner): RouteSessions {
    const known = this.known.get(manager) ?? new Map<string, RouteSessions>();
    this.known.set(manager, known);
    const key = `${owner.isLent ? 'lent' : 'own'} ${owner.realm}`;
    const sessions = known.get(key) ?? manager.sessions(owner);
    known.set(key, sessions);
    return sessions;
  }
}
