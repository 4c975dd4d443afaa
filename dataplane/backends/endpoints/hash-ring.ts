import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { BalancedEndpoint } from './balanced-endpoint.ts';
import type { EndpointPicker } from './endpoint-picker.ts';
import { mixed, textHash } from './text-hash.ts';

/** Points of the heaviest endpoint: more make shares more even, and changes more expensive. */
const POINTS = 256;
const GOLDEN = 0x9e3779b9;
/** More than there are endpoints: a point and an index are one number. */
const INDICES = 2 ** 20;

/**
 * Requests with the same key go to the same endpoint, in all units and data planes. Each endpoint has points on a ring,
 * and a key belongs to the next point: when an endpoint goes, only its keys move. Requests without a key go by the
 * fallback.
 */
export class HashRing implements EndpointPicker {
  private readonly key: RuntimeExpression<string>;
  private readonly fallback: EndpointPicker;
  private endpoints: readonly BalancedEndpoint[] = [];
  private points = new Uint32Array(0);
  private owners = new Uint32Array(0);

  constructor(key: RuntimeExpression<string>, fallback: EndpointPicker) {
    this.key = key;
    this.fallback = fallback;
  }

  use(endpoints: readonly BalancedEndpoint[]): void {
    const heaviest = Math.max(...endpoints.map(({ weight }) => weight));
    const placed: number[] = [];
    for (const [index, { key, weight }] of endpoints.entries()) {
      const own = textHash(key);
      const count = Math.max(1, Math.round((POINTS * weight) / heaviest));
      for (let i = 1; i <= count; i++) placed.push(mixed(own + Math.imul(i, GOLDEN)) * INDICES + index);
    }
    const sorted = Float64Array.from(placed).sort();
    this.points = Uint32Array.from(sorted, (one) => Math.floor(one / INDICES));
    this.owners = Uint32Array.from(sorted, (one) => one % INDICES);
    this.endpoints = endpoints;
    this.fallback.use(endpoints);
  }

  pick(exchange: Exchange): BalancedEndpoint {
    const at = this.place(exchange);
    return at < 0 ? this.fallback.pick(exchange) : this.endpoints[this.owners[at]!]!;
  }

  /** The next endpoint on the ring, so that a key has the same second choice everywhere. */
  pickExcept(exchange: Exchange, tried: ReadonlySet<unknown>): BalancedEndpoint | null {
    const at = this.place(exchange);
    if (at < 0) return this.fallback.pickExcept(exchange, tried);
    const { owners } = this;
    for (let i = 0; i < owners.length; i++) {
      const endpoint = this.endpoints[owners[(at + i) % owners.length]!]!;
      if (!tried.has(endpoint)) return endpoint;
    }
    return null;
  }

  /** Index of the point that the key of a request belongs to; -1 without a key. */
  private place(exchange: Exchange): number {
    const key = this.key.read(exchange, null);
    if (key === null || key === '') return -1;
    const hash = textHash(key);
    const { points } = this;
    let low = 0;
    let high = points.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[middle]! >= hash) high = middle;
      else low = middle + 1;
    }
    return low === points.length ? 0 : low;
  }
}
