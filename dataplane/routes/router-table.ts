import { afterRequest } from '../heap/buffering.ts';
import type { Heap } from '../heap/heap.ts';
import type { Exchange, Next } from '../http/exchange.ts';
import { type Candidate, candidateOf, DispatchIndex } from './dispatch-index.ts';
import type { Route } from './route.ts';

/** The routes of one router. What dispatches is swapped as a whole: a request sees the old routes or the new ones. */
export class RouterTable {
  readonly name: string;
  /** What the routes inherit from. */
  readonly heap: Heap;
  private readonly defaultRoute: Next;
  private byId: ReadonlyMap<string, Route> = new Map();
  private dispatch: DispatchIndex = new DispatchIndex([]);
  /** What is known of the routes that stay need not be found out again. */
  private candidates: readonly Candidate[] = [];

  constructor(name: string, heap: Heap, defaultRoute: Next) {
    this.name = name;
    this.heap = heap;
    this.defaultRoute = defaultRoute;
  }

  readonly handle: Next = (exchange: Exchange) => {
    const found = this.dispatch.find(exchange);
    if (found === null) return this.defaultRoute(exchange);
    return found === 'body' ? afterRequest(exchange, () => this.handle(exchange)) : found.handle(exchange);
  };

  get routes(): ReadonlyMap<string, Route> {
    return this.byId;
  }

  /** Takes these routes in place of all others. */
  swap(routes: ReadonlyMap<string, Route>): void {
    const known = new Map(this.candidates.map((candidate) => [candidate.route, candidate]));
    this.byId = routes;
    this.candidates = inOrder([...routes.values()].map((route) => known.get(route) ?? candidateOf(route)));
    this.dispatch = new DispatchIndex(this.candidates);
  }
}

/** By name, then by id; characters compare by their code, as file names do. */
function inOrder(candidates: Candidate[]): Candidate[] {
  return candidates.sort(
    ({ route: { entry: a } }, { route: { entry: b } }) => compare(a.name, b.name) || compare(a.id, b.id),
  );
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
