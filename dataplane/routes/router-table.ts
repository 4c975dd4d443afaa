import { afterRequest } from '../heap/buffering.ts';
import type { Heap } from '../heap/heap.ts';
import type { Exchange, Next } from '../http/exchange.ts';
import { DispatchIndex } from './dispatch-index.ts';
import type { Route } from './route.ts';

/** The routes of one router. What dispatches is swapped as a whole: a request sees the old routes or the new ones. */
export class RouterTable {
  readonly name: string;
  /** What the routes inherit from. */
  readonly heap: Heap;
  private readonly defaultRoute: Next;
  private byId: ReadonlyMap<string, Route> = new Map();
  private dispatch: DispatchIndex = new DispatchIndex([]);

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
    this.byId = routes;
    this.dispatch = new DispatchIndex(inOrder([...routes.values()]));
  }
}

/** By name, then by id; characters compare by their code, as file names do. */
function inOrder(routes: Route[]): Route[] {
  return routes.sort(({ entry: a }, { entry: b }) => compare(a.name, b.name) || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
