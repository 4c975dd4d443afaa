import type { Exchange } from '../../engine/message/exchange.ts';
import { clock } from '../../engine/wire/clock.ts';
import type { BalancedEndpoint } from './balanced-endpoint.ts';
import { type EndpointPicker, pickUntried } from './endpoint-picker.ts';
import type { RandomNumbers } from './random-numbers.ts';

const BELOW = 2 ** 32;

/**
 * Takes endpoints in turn: the next one is the one that is due first, and then it is due again after 1/weight. The first
 * turns are random, so that units do not all begin with the same endpoint.
 */
export class RoundRobin implements EndpointPicker {
  private readonly random: RandomNumbers;
  private endpoints: readonly BalancedEndpoint[] = [];
  /** When each endpoint of the heap is due, and its index: a binary heap in two arrays. */
  private due = new Float64Array(0);
  private order = new Int32Array(0);
  private now = 0;

  constructor(random: RandomNumbers) {
    this.random = random;
  }

  /** Endpoints that stay keep their turn. */
  use(endpoints: readonly BalancedEndpoint[]): void {
    const turns = new Map<BalancedEndpoint, number>();
    for (let i = 0; i < this.order.length; i++) turns.set(this.endpoints[this.order[i]!]!, this.due[i]!);
    const planned = endpoints.map((endpoint, index) => ({
      index,
      due: turns.get(endpoint) ?? this.now + this.random() / BELOW / endpoint.weightAt(clock.now),
    }));
    planned.sort((one, two) => one.due - two.due); // what is sorted is a heap
    this.endpoints = endpoints;
    this.due = Float64Array.from(planned, ({ due }) => due);
    this.order = Int32Array.from(planned, ({ index }) => index);
  }

  pick(_exchange: Exchange | null): BalancedEndpoint {
    const endpoint = this.endpoints[this.order[0]!]!;
    this.now = this.due[0]!;
    this.delay(this.now + 1 / endpoint.weightAt(clock.now));
    return endpoint;
  }

  pickExcept(exchange: Exchange, tried: ReadonlySet<unknown>): BalancedEndpoint | null {
    return pickUntried(() => this.pick(exchange), this.endpoints, tried);
  }

  /** Gives the first endpoint a later turn. */
  private delay(until: number): void {
    const { due, order } = this;
    const index = order[0]!;
    const { length } = due;
    let at = 0;
    for (let child = 1; child < length; child = 2 * at + 1) {
      if (child + 1 < length && due[child + 1]! < due[child]!) child++;
      if (due[child]! >= until) break;
      due[at] = due[child]!;
      order[at] = order[child]!;
      at = child;
    }
    due[at] = until;
    order[at] = index;
  }
}
