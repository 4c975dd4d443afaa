import type { Exchange } from '../../engine/message/exchange.ts';
import type { Response } from '../../engine/message/response.ts';
import type { SessionPlace } from '../../engine/message/session.ts';

/** The sessions of one route, or of the gateway around all routes. */
export interface RouteSessions extends SessionPlace {
  /**
   * Gives an exchange a session of this place, and takes its cookies out of the request. Null when that is done; a
   * promise when keys have to be read first, which rejects when they cannot be.
   */
  enter(exchange: Exchange): PromiseLike<void> | null;
  /** Saves the session, if it changed, and brings the one before back. @returns the response, or a refusal instead. */
  leave(response: Response | null, exchange: Exchange): Response | null;
}

/** Whose sessions they are. */
export interface SessionOwner {
  /** Empty for operators, otherwise the tenant: sessions of one realm cannot be opened in another. */
  readonly realm: string;
  /** Whether the manager is an operator's and the routes are a tenant's, whose cookies then have names of their own. */
  readonly isLent: boolean;
}

/** Keeps sessions of clients over several requests. */
export interface SessionManager {
  sessions(owner: SessionOwner): RouteSessions;
}
