import { afterRequest } from '../heap/buffering.ts';
import type { Heap } from '../heap/heap.ts';
import type { Exchange, Next } from '../http/exchange.ts';
import type { Route } from './route.ts';
import { RouteIndex } from './route-index.ts';

/** The routes of one router. They change between two requests: a request sees the old routes or the new ones. */
export class RouterTable {
  readonly name: string;
  /** What the routes inherit from. */
  readonly heap: Heap;
  private readonly defaultRoute: Next;
  private readonly byId = new Map<string, Route>();
  private readonly index = new RouteIndex();

  constructor(name: string, heap: Heap, defaultRoute: Next) {
    this.name = name;
    this.heap = heap;
    this.defaultRoute = defaultRoute;
  }

  readonly handle: Next = (exchange: Exchange) => {
    const found = this.index.find(exchange);
    if (found === null) return this.defaultRoute(exchange);
    return found === 'body' ? afterRequest(exchange, () => this.handle(exchange)) : found.handle(exchange);
  };

  get routes(): ReadonlyMap<string, Route> {
    return this.byId;
  }

  /** Takes these routes in, by id; null for one that is gone. */
  change(changes: ReadonlyMap<string, Route | null>): void {
    for (const [id, route] of changes) {
      if (route === null) this.byId.delete(id);
      else this.byId.set(id, route);
    }
    this.index.change(changes);
  }

  close(): void {
    this.index.close();
  }
}
