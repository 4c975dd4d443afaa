import type { Backend } from '../../engine/backend/backend.ts';
import type { Call, CallWatch } from '../../engine/backend/call.ts';
import type { Refusal } from '../../engine/message/refusal.ts';
import type { BackendEndpoint, Backends, EndpointUser } from '../../heap/objects/backends.ts';
import type { BackendSet } from '../backend-sets.ts';

type Pools = (Backend | undefined)[];
/** Hears of an endpoint that could not take a request, which another one gets. */
type Moved = (backend: string, refusal: Refusal, reason: string) => void;

/** Pools of one handler, one for each endpoint, under one egress check. */
export class EndpointPools implements EndpointUser {
  private readonly backends: Backends;
  private readonly set: BackendSet;
  private readonly moved: Moved;
  private readonly judges: boolean;
  /** By the slots of the endpoints. */
  private readonly ordinary: Pools = [];
  private readonly upgrading: Pools = [];
  private readonly owners = new Map<Backend, BackendEndpoint>();
  private readonly leave: () => void;
  private isClosed = false;

  /** With `judges`, endpoints are ejected by what becomes of its requests. */
  constructor(backends: Backends, set: BackendSet, moved: Moved, judges: boolean) {
    this.backends = backends;
    this.judges = judges;
    this.set = set;
    this.moved = moved;
    this.leave = backends.join(this);
  }

  /** The pool of an endpoint; with `upgrades`, for requests that become WebSockets. */
  at(endpoint: BackendEndpoint, upgrades: boolean): Backend {
    const pools = upgrades ? this.upgrading : this.ordinary;
    return pools[endpoint.slot] ?? this.open(pools, endpoint, upgrades);
  }

  private open(pools: Pools, endpoint: BackendEndpoint, upgrades: boolean): Backend {
    const { set, judges } = this;
    const { base, serverName, slot } = endpoint;
    const ordinary = base.scheme === 'https' ? set.secure : set.plain;
    const upgrading = base.scheme === 'https' ? set.secureUpgrading : set.upgrading;
    const watch: CallWatch = {
      answered: (status, isWhole) => endpoint.answered(status, isWhole, judges),
      ended: (status) => endpoint.ended(status, judges),
      broke: (status, refusal) => endpoint.broke(status, refusal, judges),
      refused: (refusal) => endpoint.refused(refusal, judges),
      mayMove: ({ exchange }) => this.backends.hasAnother(exchange),
      move: (call, refusal, reason) => this.move(call, endpoint, upgrades, refusal, reason),
    };
    const backend = (upgrades ? upgrading : ordinary).create(base.host, base.port, serverName, watch);
    while (pools.length < slot) pools.push(undefined); // an array with holes is slower to read
    pools[slot] = backend;
    endpoint.pools.push(backend);
    this.owners.set(backend, endpoint);
    if (this.isClosed) this.release(backend, endpoint); // it still carries requests that are under way
    return backend;
  }

  /** Nothing of the request was sent, or it may be repeated: another endpoint gets it. */
  private move(call: Call, from: BackendEndpoint, upgrades: boolean, refusal: Refusal, reason: string): boolean {
    const { exchange } = call;
    const to = this.backends.another(exchange, from);
    if (to === null) return false;
    const backend = this.at(to, upgrades);
    if (!call.mayMoveTo(backend.options)) return false;
    from.moved();
    this.moved(exchange.backend ?? from.base.authority, refusal, reason);
    exchange.request.uri.rebase(to.base);
    backend.adopt(call);
    return true;
  }

  /** The endpoint of a pool by the name that logs have for it: a request may have been moved to it. */
  ownerOf(name: string | null): BackendEndpoint | undefined {
    for (const [backend, endpoint] of this.owners) if (backend.name === name) return endpoint;
    return undefined;
  }

  left(endpoint: BackendEndpoint): void {
    for (const pools of [this.ordinary, this.upgrading]) {
      const backend = pools[endpoint.slot];
      pools[endpoint.slot] = undefined;
      if (backend !== undefined) this.release(backend, endpoint);
    }
  }

  private release(backend: Backend, endpoint: BackendEndpoint): void {
    backend.close();
    this.owners.delete(backend);
    endpoint.pools.splice(endpoint.pools.indexOf(backend), 1);
  }

  /** Closes what is idle and, after its answer, what is not. */
  close(): void {
    this.isClosed = true;
    this.leave();
    for (const [backend, endpoint] of [...this.owners]) this.release(backend, endpoint);
  }
}
