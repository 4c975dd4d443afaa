import type { HostGrants } from '../../contract/resources/host-grants.ts';
import type { Exchange, Next } from '../engine/message/exchange.ts';
import { refusalResponse } from '../engine/message/response.ts';
import type { Heap } from '../heap/heap.ts';
import { afterRequest } from '../heap/objects/buffering.ts';
import { ClaimedPlaces, NO_CLAIMS } from './claimed-places.ts';
import type { Route } from './route.ts';
import { RouteIndex } from './route-index.ts';

/**
 * The routes of one router. They change between two requests: a request sees the old routes or the new ones. Those of an
 * operator are asked first, whatever the host, then those of the tenant whose host it is, and nobody else's.
 */
export class RouterTable {
  readonly name: string;
  /** What the routes inherit from. */
  readonly heap: Heap;
  private readonly defaultRoute: Next;
  private readonly grants: HostGrants;
  private readonly byId = new Map<string, Route>();
  private readonly operators = new RouteIndex();
  private readonly tenants = new Map<string, RouteIndex>();
  private claimed = NO_CLAIMS;
  /** The routes of the tenant that has all hosts; null where the host decides. */
  private only: RouteIndex | null = null;

  constructor(name: string, heap: Heap, defaultRoute: Next, grants: HostGrants) {
    this.name = name;
    this.heap = heap;
    this.defaultRoute = defaultRoute;
    this.grants = grants;
  }

  readonly handle: Next = (exchange: Exchange) => {
    const found = this.tenants.size === 0 ? this.findOperators(exchange) : this.findOwned(exchange);
    if (found === null) return this.defaultRoute(exchange);
    if (found === 'misdirected') return refusalResponse('misdirected');
    return found === 'body' ? afterRequest(exchange, () => this.handle(exchange)) : found.handle(exchange);
  };

  /** The route that takes a request, for dry runs; null for none, and `body` if a condition waits for the body. */
  find(exchange: Exchange): Route | null | 'body' | 'misdirected' {
    return this.tenants.size === 0 ? this.findOperators(exchange) : this.findOwned(exchange);
  }

  get routes(): ReadonlyMap<string, Route> {
    return this.byId;
  }

  /** Takes these routes in, by id; null for one that is gone. */
  change(changes: ReadonlyMap<string, Route | null>): void {
    const byOwner = new Map<string | undefined, Map<string, Route | null>>();
    const tell = (owner: string | undefined, id: string, route: Route | null): void => {
      const own = byOwner.get(owner) ?? new Map<string, Route | null>();
      byOwner.set(owner, own.set(id, route));
    };
    let hasClaims = false;
    for (const [id, route] of changes) {
      const before = this.byId.get(id);
      hasClaims ||= (before?.claims.length ?? 0) > 0 || (route?.claims.length ?? 0) > 0;
      if (before !== undefined) tell(before.entry.tenant, id, null);
      if (route !== null) tell(route.entry.tenant, id, route);
      if (route === null) this.byId.delete(id);
      else this.byId.set(id, route);
    }
    if (hasClaims) this.claimed = new ClaimedPlaces(this.byId.values());
    for (const [owner, own] of byOwner) this.indexOf(owner).change(own);
    for (const [tenant, index] of this.tenants) {
      if (index.size > 0) continue;
      index.close();
      this.tenants.delete(tenant);
    }
    this.only = this.grants.only === null ? null : (this.tenants.get(this.grants.only) ?? null);
  }

  close(): void {
    this.operators.close();
    for (const index of this.tenants.values()) index.close();
  }

  private findOwned(exchange: Exchange): Route | null | 'body' | 'misdirected' {
    const found = this.operators.size === 0 ? null : this.findOperators(exchange);
    if (found !== null) return found;
    if (this.isMisdirected(exchange)) return 'misdirected';
    if (this.only !== null) return this.claimed.find(this.grants.only!, exchange) ?? this.only.find(exchange);
    const tenant = this.grants.tenantOf(exchange.request.uri.receivedHost);
    const index = tenant === null ? undefined : this.tenants.get(tenant);
    if (tenant === null || index === undefined) return null;
    return this.claimed.find(tenant, exchange) ?? index.find(exchange);
  }

  private findOperators(exchange: Exchange): Route | null | 'body' {
    return this.claimed.find(undefined, exchange) ?? this.operators.find(exchange);
  }

  /** Whether the client connected to a host of one tenant, or with one certificate, and asks for that of another. */
  private isMisdirected({ origin, request }: Exchange): boolean {
    const { facts } = origin;
    const { serverName } = facts;
    const { receivedHost } = request.uri;
    if (serverName === null || serverName === receivedHost) return false;
    if (facts.isShownFor?.(receivedHost) === false) return true;
    if (this.only !== null) return false;
    const tenant = this.grants.tenantOf(serverName);
    return tenant !== null && tenant !== (this.grants.tenantOf(receivedHost) ?? tenant);
  }

  private indexOf(owner: string | undefined): RouteIndex {
    if (owner === undefined) return this.operators;
    const index = this.tenants.get(owner) ?? new RouteIndex();
    this.tenants.set(owner, index);
    return index;
  }
}
