import type { Parts } from '../../heap/definition.ts';

/** Places for the endpoints of all Backends of one tenant in one unit. */
const PLACES = 50_000;
/** Endpoints that each Backends may have in any case: few, because there are as many as its documents make. */
const LEAST = 16;

/** Part of the room that one Backends has. */
export interface EndpointShare {
  /** Returns how many of its endpoints may be used. */
  take(endpoints: number): number;
  leave(): void;
}

interface Taken {
  readonly places: number;
  used: number;
  /** Endpoints that it would use; those that it cannot use all wait for places. */
  wanted: number;
  changed(): void;
}

/** Bounds the endpoints of one tenant: a Service of many endpoints, named by many Routes, must not fill the memory. */
export class EndpointRoom {
  private used = 0;
  private readonly waiting = new Set<Taken>();
  private isCalling = false;

  /**
   * @param places that each endpoint takes
   * @param changed called when there may be places for the endpoints that were not used
   */
  join(places: number, changed: () => void): EndpointShare {
    const share: Taken = { places, used: 0, wanted: 0, changed };
    let isOver = false;
    return {
      take: (endpoints) => (isOver ? Math.min(endpoints, LEAST) : this.take(share, endpoints)),
      leave: () => {
        isOver = true;
        this.waiting.delete(share);
        this.set(share, 0);
        this.callWaiting();
      },
    };
  }

  private take(share: Taken, endpoints: number): number {
    this.waiting.delete(share);
    this.set(share, 0);
    const free = Math.max(0, Math.floor((PLACES - this.used) / share.places));
    const granted = free >= endpoints ? endpoints : Math.min(endpoints, Math.max(LEAST, free));
    share.wanted = endpoints;
    this.set(share, granted);
    if (granted < endpoints) this.waiting.add(share);
    else this.callWaiting();
    return granted;
  }

  private set(share: Taken, endpoints: number): void {
    this.used += (endpoints - share.used) * share.places;
    share.used = endpoints;
  }

  /** Those that wait longest come first. Each has all of its places before the next one is asked. */
  private callWaiting(): void {
    if (this.isCalling) return;
    this.isCalling = true;
    try {
      for (const share of [...this.waiting]) {
        if (this.used + (share.wanted - share.used) * share.places > PLACES) return;
        this.waiting.delete(share);
        share.changed();
      }
    } finally {
      this.isCalling = false;
    }
  }
}

/** The rooms of one unit, by tenant. */
const rooms = new WeakMap<Parts['plane']['sharedMemory'], Map<string, EndpointRoom>>();

/** The room for the endpoints of a tenant; null for operators. */
export function tenantRoom({ plane, realm }: Pick<Parts, 'plane' | 'realm'>): EndpointRoom | null {
  if (plane.egress === undefined) return null;
  const byTenant = rooms.get(plane.sharedMemory) ?? new Map<string, EndpointRoom>();
  rooms.set(plane.sharedMemory, byTenant);
  const room = byTenant.get(realm) ?? new EndpointRoom();
  byTenant.set(realm, room);
  return room;
}
