import { compareRoutes } from '../../contract/route-order.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { type Candidate, candidateOf, DispatchIndex, wantsBody } from './dispatch-index.ts';
import type { Route } from './route.ts';

/** How many routes may be beside the large index before it is made anew. */
const MOST_RECENT = 128;
/** Milliseconds without a change after which it is made anew, so that requests ask one index again. */
const CALM = 1000;

/**
 * The routes that are tried for a request, in the order of their names. A change costs what changed: thousands of routes
 * stay in an index that is made once, and the few that changed since are in a small one beside it.
 */
export class RouteIndex {
  private readonly routes = new Map<string, Candidate>();
  /** All routes when it was made, in order. */
  private order: Candidate[] = [];
  private settled: DispatchIndex = DispatchIndex.of([]);
  /** Routes that are not in the large index. */
  private readonly recent = new Map<string, Candidate>();
  private small: DispatchIndex | null = null;
  private timer: NodeJS.Timeout | null = null;

  get size(): number {
    return this.routes.size;
  }

  /** The route, null for none, or `'body'` when a condition needs the request's body: ask again when it is there. */
  find(exchange: Exchange): Route | null | 'body' {
    let found = this.settled.find(exchange);
    if (this.small !== null) {
      const other = this.small.find(exchange);
      if (found === null || (other !== null && byName(other, found) < 0)) found = other;
    }
    if (found === null) return null;
    return wantsBody(found, exchange) ? 'body' : found.route;
  }

  /** Takes these routes in, by id; null for one that is gone. */
  change(changes: ReadonlyMap<string, Route | null>): void {
    if (changes.size > MOST_RECENT) {
      for (const [id, route] of changes) this.set(id, route === null ? null : candidateOf(route));
      this.settle();
      return;
    }
    const places = new Map<number, Candidate | null>();
    for (const [id, route] of changes) {
      const before = this.routes.get(id);
      const candidate = route === null ? null : candidateOf(route);
      const place = before === undefined || this.recent.has(id) ? -1 : this.placeOf(before);
      this.set(id, candidate);
      if (place >= 0) {
        const stays = candidate !== null && isFiledAlike(before!, candidate);
        places.set(place, stays ? candidate : null);
        if (stays) continue;
      }
      if (candidate === null) this.recent.delete(id);
      else this.recent.set(id, candidate);
    }
    if (this.recent.size > MOST_RECENT) {
      this.settle();
      return;
    }
    if (places.size > 0) {
      this.settled = this.settled.with(places);
      for (const [place, candidate] of places) if (candidate !== null) this.order[place] = candidate;
    }
    this.small = this.recent.size === 0 ? null : DispatchIndex.of([...this.recent.values()].sort(byName));
    if (this.small !== null) this.settleLater();
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private set(id: string, candidate: Candidate | null): void {
    if (candidate === null) this.routes.delete(id);
    else this.routes.set(id, candidate);
  }

  private settleLater(): void {
    this.close();
    this.timer = setTimeout(() => this.settle(), CALM);
    this.timer.unref();
  }

  private settle(): void {
    this.close();
    this.order = [...this.routes.values()].sort(byName);
    this.settled = DispatchIndex.of(this.order);
    this.recent.clear();
    this.small = null;
  }

  /** Where a route is in the large index. */
  private placeOf(candidate: Candidate): number {
    let [from, to] = [0, this.order.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (byName(this.order[middle]!, candidate) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Whether one can take the place of the other in an index. */
function isFiledAlike(a: Candidate, b: Candidate): boolean {
  return byName(a, b) === 0 && clausesText(a) === clausesText(b);
}

function clausesText({ clauses }: Candidate): string {
  return JSON.stringify(clauses.map((clause) => clause.map(({ key }) => key)));
}

function byName({ route: a }: Candidate, { route: b }: Candidate): number {
  return compareRoutes(a.entry, b.entry);
}
