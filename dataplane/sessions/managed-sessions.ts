import type { JsonObject } from '../../contract/document/json-value.ts';
import { EvaluationError } from '../../contract/expression/value.ts';
import { errorText } from '../../platform/error-text.ts';
import { PacedWarning } from '../../platform/paced-warning.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { type Response, refusalResponse } from '../engine/message/response.ts';
import { type CookieScope, NO_SESSION, type Sealer, Session, type SessionKeeper } from '../engine/message/session.ts';
import { SessionFault } from '../engine/message/session-fault.ts';
import { Verdict } from '../engine/message/verdict.ts';
import type { Parts } from '../heap/definition.ts';
import type { RouteSessions } from '../heap/objects/sessions.ts';
import { dropSetCookies, takeCookies } from './taken-cookies.ts';
import { keepFromSharedCaches } from './unshared-response.ts';

/** Opens and saves sessions of one kind for one realm. */
export interface SavingKeeper extends SessionKeeper {
  readonly sealer: Sealer;
  /** Null when sessions can be opened; otherwise rejects with a SessionFault when they cannot be. */
  ready(): PromiseLike<void> | null;
  /** Saves a session that something has read or written. @returns `Set-Cookie` lines @throws SessionFault */
  save(session: Session): readonly string[];
}

/** Gives the exchanges of one place their sessions, whichever way these are kept. */
export class ManagedSessions implements RouteSessions {
  readonly cookieName: string;
  readonly configuredName: string;
  readonly cookieScope: CookieScope;
  private readonly keeper: SavingKeeper;
  private readonly type: string;
  private readonly object: string;
  private readonly notSaved: PacedWarning;

  constructor(
    { cookieName, configuredName, cookieScope }: Pick<RouteSessions, 'cookieName' | 'configuredName' | 'cookieScope'>,
    keeper: SavingKeeper,
    { log, type, qualifiedName }: Pick<Parts, 'log' | 'type' | 'qualifiedName'>,
  ) {
    this.cookieName = cookieName;
    this.configuredName = configuredName;
    this.cookieScope = cookieScope;
    this.keeper = keeper;
    this.type = type;
    this.object = qualifiedName;
    this.notSaved = new PacedWarning(log, 'session not saved; request refused', { most: 1 });
  }

  begin(): Session {
    return new Session(this.keeper, null, NO_SESSION);
  }

  seal(purpose: string, content: JsonObject, lifetime: number): string {
    return this.keeper.sealer.seal(purpose, content, lifetime);
  }

  unseal(purpose: string, text: string): JsonObject | null {
    return this.keeper.sealer.unseal(purpose, text);
  }

  enter(exchange: Exchange): PromiseLike<void> | null {
    const pending = this.keeper.ready();
    if (pending !== null) return pending.then(() => this.open(exchange));
    this.open(exchange);
    return null;
  }

  leave(response: Response | null, exchange: Exchange): Response | null {
    if (exchange.sessionPlace !== this) return response; // it never came in
    const session = exchange.openSession;
    const { place, session: before } = session?.outer ?? NO_SESSION;
    exchange.sessionPlace = place;
    exchange.openSession = before;
    if (response === null) return null;
    if (session?.shadowed !== true && isOpen(response, exchange)) dropSetCookies(response.headers, this.cookieName);
    return session?.isOpened === true ? this.saved(session, response, exchange) : response;
  }

  private open(exchange: Exchange): void {
    const presented = this.presented(exchange);
    const { sessionPlace: place, openSession: session } = exchange;
    exchange.sessionPlace = this;
    // the outermost session is made when something asks for it: most exchanges need none
    if (presented === null && place === null) return;
    exchange.openSession = new Session(this.keeper, presented, { place, session });
  }

  /** A session around this one may have taken cookies of the same name. */
  private presented(exchange: Exchange): Session['presented'] {
    let place = exchange.sessionPlace;
    let session = exchange.openSession;
    while (place !== null && place.cookieName !== this.cookieName && session !== null) {
      ({ place, session } = session.outer);
    }
    if (place?.cookieName === this.cookieName) {
      session ??= exchange.session!;
      session.shadowed = true;
      return session.presented;
    }
    return takeCookies(exchange.request.headers, this.cookieName);
  }

  private saved(session: Session, response: Response, exchange: Exchange): Response {
    try {
      const lines = this.keeper.save(session);
      session.seal();
      if (lines.length > 0 && isOpen(response, exchange)) {
        for (const line of lines) response.headers.append('Set-Cookie', line);
        keepFromSharedCaches(response.headers);
      }
      return response;
    } catch (error) {
      if (!(error instanceof SessionFault) && !(error instanceof EvaluationError)) throw error;
      const refusal = error instanceof SessionFault ? error.refusal : 'session-value';
      const reason = errorText(error);
      const { type, object } = this;
      exchange.decision = { refusal, reason, object, type };
      const { access } = exchange;
      if (access !== null) {
        access.note(new Verdict('refused', { type, object, outcome: 'refused', code: refusal }));
      }
      this.notSaved.give({ refusal, reason, route: exchange.route, requestId: exchange.ids?.requestId });
      response.abandon();
      return refusalResponse(refusal, error);
    }
  }
}

/** Whether header lines can still be changed: nobody reads those of an exchange that is over. */
function isOpen({ headers }: Response, { over }: Exchange): boolean {
  return !over && headers.readable;
}
