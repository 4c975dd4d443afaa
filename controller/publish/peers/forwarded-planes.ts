import type { Clock } from '../../../platform/clock.ts';
import { BASE_PROBLEMS, type PlaneFacts } from '../plane-facts.ts';
import { type FollowerMessage, type ForwardedRoute, PEER_PROTOCOL } from './peer-messages.ts';

/** How many routes one message names, and how many as long as they have problems to tell of. */
const ROUTES_PER_MESSAGE = 5000;
const PROBLEMS_PER_MESSAGE = 200;

interface Pending {
  facts: PlaneFacts;
  /** What has to be told anew of its routes; null for everything. */
  routes: Set<string> | null;
  isReportTold: boolean;
}

/**
 * Changes of data planes that a follower still has to send to the leader. Only the newest of several changes is sent.
 */
export class ForwardedPlanes {
  private readonly controller: string;
  private readonly clock: Clock;
  private readonly planes = new Map<string, Pending>();
  private readonly changed = new Set<string>();
  private readonly left = new Set<string>();
  private isIntroduced = false;

  constructor(controller: string, clock: Clock) {
    this.controller = controller;
    this.clock = clock;
  }

  heard(facts: PlaneFacts, routes: readonly string[] | null): void {
    const { id } = facts.identity;
    const known = this.planes.get(id);
    this.changed.add(id);
    if (known === undefined || routes === null || known.facts.connectedSince !== facts.connectedSince) {
      this.planes.set(id, { facts, routes: null, isReportTold: facts.lastReport === null });
      return;
    }
    if (facts.lastReport !== known.facts.lastReport) known.isReportTold = facts.lastReport === null;
    known.facts = facts;
    for (const route of routes) known.routes?.add(route);
    known.routes?.add(BASE_PROBLEMS);
  }

  leave(plane: string): void {
    if (!this.planes.delete(plane)) return;
    this.changed.delete(plane);
    this.left.add(plane);
  }

  /** There is a new stream: everything has to be told again. */
  restart(): void {
    this.isIntroduced = false;
    this.left.clear();
    for (const [id, pending] of this.planes) {
      pending.routes = null;
      pending.isReportTold = pending.facts.lastReport === null;
      this.changed.add(id);
    }
  }

  /** Takes what is to be told next; nothing when all is told. */
  *take(): Generator<FollowerMessage, void> {
    if (!this.isIntroduced) {
      this.isIntroduced = true;
      const clock = this.clock.wall();
      yield { type: 'peer', protocol: PEER_PROTOCOL, controller: this.controller, clock, explains: true };
    }
    for (const plane of this.left) {
      this.left.delete(plane);
      yield { type: 'left', plane };
    }
    for (const id of this.changed) {
      this.changed.delete(id);
      const pending = this.planes.get(id);
      if (pending !== undefined) yield* this.takePlane(pending);
    }
  }

  private *takePlane(pending: Pending): Generator<FollowerMessage, void> {
    const { facts } = pending;
    const { identity, connectedSince, version, units, explains, revision } = facts;
    const full = pending.routes === null;
    const keys = [...(pending.routes ?? new Set([...facts.running.keys(), ...facts.problems.keys()]))];
    pending.routes = new Set();
    let at = 0;
    do {
      const most = facts.problems.size > PROBLEMS_PER_MESSAGE ? PROBLEMS_PER_MESSAGE : ROUTES_PER_MESSAGE;
      const routes = keys.slice(at, at + most).map((key) => routeOf(facts, key));
      const known = { ...(units !== undefined && { units }), ...(explains && { explains }) };
      const stream = { identity, connectedSince, version, ...known };
      yield { type: 'plane', ...stream, pending: facts.pending, revision, full: full && at === 0, routes };
      at += most;
    } while (at < keys.length);
    if (pending.isReportTold || facts.lastReport === null) return;
    pending.isReportTold = true;
    yield { type: 'report', plane: identity.id, ...facts.lastReport };
  }
}

function routeOf({ running, problems }: PlaneFacts, key: string): ForwardedRoute {
  return [key, running.get(key) ?? null, problems.get(key) ?? null];
}
