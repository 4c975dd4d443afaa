import { type Auditing, audited } from '../audit/service/audited.ts';
import type { Answer, Exchange, Next } from '../engine/message/exchange.ts';
import { faultResponse, isThrown } from '../engine/message/fault.ts';
import { type Boundary, bounded } from '../engine/message/reply.ts';
import { type Response, refusalResponse } from '../engine/message/response.ts';
import { elapsed } from '../engine/wire/elapsed.ts';
import type { RouteSessions } from '../heap/objects/sessions.ts';
import type { RouteFigures } from './route-figures.ts';

/** Requests that are under way, and what to do when the last of them is answered. */
export class Lease {
  private active = 0;
  private whenFree: (() => void) | null = null;

  take(): void {
    this.active++;
  }

  giveBack(): void {
    this.active--;
    if (this.active === 0) this.whenFree?.();
  }

  /** Runs something once nothing is under way any more; nothing new may begin. */
  onceFree(run: () => void): void {
    if (this.active === 0) run();
    else this.whenFree = run;
  }
}

/** What a boundary is made of. */
export interface Bounds {
  readonly handler: Next;
  readonly lease: Lease;
  /** The sessions that begin here; null where they are those around it. */
  readonly sessions: RouteSessions | null;
  /** The audit service of the document; null where the one around it records. */
  readonly auditing?: Auditing | null;
  /** Hears of what the handler throws. */
  failed(error: unknown): void;
}

/** What the boundary of a route is made of. */
export interface RouteBounds extends Bounds {
  readonly figures: RouteFigures;
  /** The id of the route; null for the default handler of a router. */
  readonly id: string | null;
  /** The name of the route, for audit events. */
  readonly name?: string;
}

/** The boundary of what has no figures of its own. */
export function leased({ handler, lease, sessions, auditing = null, failed }: Bounds): Next {
  return boundedBy(audited(inSession(handler, sessions), auditing, null), lease, {
    answered(response, exchange) {
      lease.giveBack();
      return leaving(response, exchange, sessions) ?? refusalResponse('no-answer');
    },
    failed(error, exchange) {
      lease.giveBack();
      const response = faultOf(error, exchange, failed);
      return leaving(response, exchange, sessions) ?? response;
    },
  });
}

/** The handler, behind the entry to its sessions. */
function inSession(handler: Next, sessions: RouteSessions | null): Next {
  if (sessions === null) return handler;
  return function entering(exchange) {
    const pending = sessions.enter(exchange);
    return pending === null ? handler(exchange) : pending.then(() => handler(exchange));
  };
}

function leaving(response: Response | null, exchange: Exchange, sessions: RouteSessions | null): Response | null {
  return sessions === null ? response : sessions.leave(response, exchange);
}

/** The boundary of a route: counts what passes, and turns what its objects throw into an answer. */
export function instrumented(bounds: RouteBounds): Next {
  const { handler, lease, sessions, auditing = null, failed, figures, id, name = '' } = bounds;
  const ended = (answer: Response | null, exchange: Exchange): Response => {
    lease.giveBack();
    const response = leaving(answer, exchange, sessions);
    const milliseconds = elapsed(exchange);
    if (response === null) {
      figures.endUnanswered(milliseconds);
      return refusalResponse('no-answer');
    }
    figures.end(response.status, milliseconds, isThrown(response));
    return response;
  };
  const recorded = audited(inSession(handler, sessions), auditing, id === null ? null : { id, name });
  const inner = boundedBy(recorded, lease, {
    answered: ended,
    failed: (error, exchange) => ended(faultOf(error, exchange, failed), exchange),
  });
  return function route(exchange) {
    figures.begin();
    if (id !== null) exchange.route = id;
    return inner(exchange);
  };
}

/** When the client has gone, whoever still ran had to fail: clients must not be able to fill the log with that. */
function faultOf(error: unknown, exchange: Exchange, failed: (error: unknown) => void): Response {
  return faultResponse(error, exchange.over ? () => {} : failed);
}

/** Takes the lease for each request; the boundary gives it back. */
function boundedBy(handler: Next, lease: Lease, boundary: Boundary): Next {
  return (exchange) => {
    lease.take();
    let answer: Answer | null | undefined;
    try {
      answer = handler(exchange);
    } catch (error) {
      return boundary.failed(error, exchange);
    }
    return answer === null || answer === undefined
      ? boundary.answered(null, exchange)
      : bounded(answer, exchange, boundary);
  };
}
