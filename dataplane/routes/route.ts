import type { RouteEntry } from '../../contract/snapshot.ts';
import type { RuntimeExpression } from '../../contract/vocabulary/runtime.ts';
import type { Auditing } from '../audit/service/audited.ts';
import type { Next } from '../engine/message/exchange.ts';
import { refusalResponse } from '../engine/message/response.ts';
import type { Heap } from '../heap/heap.ts';
import type { RouteSessions } from '../heap/objects/sessions.ts';
import type { ClaimedPlace } from '../heap/plane-services.ts';
import type { CheckedDocument } from './checked-document.ts';
import { instrumented, Lease } from './instrumented.ts';
import type { RouteFigures } from './route-figures.ts';

/** Objects of a document and where requests begin. */
export interface RouteInside {
  readonly heap: Heap;
  readonly document: Pick<CheckedDocument, 'handler' | 'decorations'>;
}

/** A route that takes requests. */
export interface Route {
  readonly entry: RouteEntry;
  /** Null where it takes every request. */
  readonly condition: RuntimeExpression<boolean> | null;
  readonly handle: Next;
  /** Places that it takes beside what its condition says. */
  readonly claims: readonly ClaimedPlace[];
  /** The objects of the route, for dry runs; null for one that refuses. */
  readonly inside: RouteInside | null;
  /** Takes no new requests; its objects are closed once the last one is answered. */
  retire(): void;
}

/** Parts of a route once its objects are built. */
export interface RouteParts {
  readonly entry: RouteEntry;
  readonly condition: RuntimeExpression<boolean> | null;
  readonly handler: Next;
  readonly figures: RouteFigures;
  readonly claims: readonly ClaimedPlace[];
  /** The sessions of the route; null where they are those around it. */
  readonly sessions: RouteSessions | null;
  /** The audit service of the route; null where the one around it records. */
  readonly auditing: Auditing | null;
  readonly inside: RouteInside | null;
  failed(error: unknown): void;
  close(): void;
}

export function makeRoute(parts: RouteParts): Route {
  const { entry, condition, handler, figures, claims, sessions, auditing, inside, failed, close } = parts;
  const lease = new Lease();
  return {
    entry,
    condition,
    claims,
    inside,
    handle: instrumented({ handler, lease, sessions, auditing, failed, figures, id: entry.id, name: entry.name }),
    retire: () => lease.onceFree(close),
  };
}

/**
 * A route that keeps its place and refuses: one that was never sound. Were it left out, its requests would fall to a
 * wider, weaker one. `condition` null takes every request, so a condition that cannot be read makes no route at all.
 */
export function refusingRoute(
  entry: RouteEntry,
  condition: RuntimeExpression<boolean> | null,
  figures: RouteFigures,
): Route {
  const handler: Next = () => refusalResponse('route-unsound');
  const nothing = {
    claims: [],
    sessions: null,
    auditing: null,
    inside: null,
    failed: (): void => {},
    close: (): void => {},
  };
  return makeRoute({ entry, condition, handler, figures, ...nothing });
}
