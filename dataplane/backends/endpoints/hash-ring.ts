import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { BalancedEndpoint } from './balanced-endpoint.ts';
import type { EndpointPicker } from './endpoint-picker.ts';
import { type IsBefore, RingPoints } from './ring-points.ts';
import { mixed, textHash } from './text-hash.ts';

/** Points of the heaviest endpoint: more make shares more even, and changes more expensive. */
const POINTS = 256;
const GOLDEN = 0x9e3779b9;

/**
 * Requests with the same key go to the same endpoint, in all units and data planes. Each endpoint has points on a ring,
 * and a key belongs to the next point: when an endpoint goes, only its keys move. Requests without a key go by the
 * fallback.
 */
export class HashRing implements EndpointPicker {
  private readonly key: RuntimeExpression<string>;
  private readonly fallback: EndpointPicker;
  /** Endpoints on the ring, by their numbers there. */
  private readonly members: (BalancedEndpoint | null)[] = [];
  private readonly numbers = new Map<BalancedEndpoint, number>();
  private heaviest = 0;
  private ring = RingPoints.empty;

  constructor(key: RuntimeExpression<string>, fallback: EndpointPicker) {
    this.key = key;
    this.fallback = fallback;
  }

  /** Endpoints that stay keep their points, so that a change costs one pass over the ring. */
  use(endpoints: readonly BalancedEndpoint[]): void {
    const { members, numbers } = this;
    const heaviest = endpoints.reduce((most, { weight }) => Math.max(most, weight), 0);
    const staying = heaviest === this.heaviest ? new Set(endpoints) : new Set<BalancedEndpoint>();
    this.heaviest = heaviest;
    for (const [endpoint, number] of [...numbers]) {
      if (staying.has(endpoint)) continue;
      members[number] = null;
      numbers.delete(endpoint);
    }
    const kept = this.ring.keep((number) => members[number] !== null); // before numbers are given to others
    const joining = endpoints.filter((endpoint) => !numbers.has(endpoint));
    let free = 0;
    for (const endpoint of joining) {
      while (members[free] !== undefined && members[free] !== null) free++;
      members[free] = endpoint;
      numbers.set(endpoint, free);
    }
    this.ring = joining.length === 0 ? kept : kept.merge(this.pointsOf(joining), this.isBefore);
    this.fallback.use(endpoints);
  }

  private pointsOf(endpoints: readonly BalancedEndpoint[]): RingPoints {
    const counts = endpoints.map(({ weight }) => Math.max(1, Math.round((POINTS * weight) / this.heaviest)));
    const total = counts.reduce((sum, count) => sum + count, 0);
    const places = new Uint32Array(total);
    const owners = new Uint32Array(total);
    let at = 0;
    for (const [index, endpoint] of endpoints.entries()) {
      const own = textHash(endpoint.key);
      const number = this.numbers.get(endpoint)!;
      for (let i = 1; i <= counts[index]!; i++) {
        places[at] = mixed(own + Math.imul(i, GOLDEN));
        owners[at++] = number;
      }
    }
    return RingPoints.sorted(places, owners, this.isBefore);
  }

  /** Of two points at the same place, that of the smaller key is first: numbers are of this unit only. */
  private readonly isBefore: IsBefore = (one, two) => this.members[one]!.key < this.members[two]!.key;

  pick(exchange: Exchange): BalancedEndpoint {
    const at = this.place(exchange);
    return at < 0 ? this.fallback.pick(exchange) : this.members[this.ring.owners[at]!]!;
  }

  /** The next endpoint on the ring, so that a key has the same second choice everywhere. */
  pickExcept(exchange: Exchange, tried: ReadonlySet<unknown>): BalancedEndpoint | null {
    const at = this.place(exchange);
    if (at < 0) return this.fallback.pickExcept(exchange, tried);
    const { owners } = this.ring;
    for (let i = 0; i < owners.length; i++) {
      const endpoint = this.members[owners[(at + i) % owners.length]!]!;
      if (!tried.has(endpoint)) return endpoint;
    }
    return null;
  }

  /** Index of the point that the key of a request belongs to; -1 without a key. */
  private place(exchange: Exchange): number {
    const key = this.key.read(exchange, null);
    return key === null || key === '' ? -1 : this.ring.next(textHash(key));
  }
}
