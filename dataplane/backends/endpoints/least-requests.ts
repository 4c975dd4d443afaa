import type { Exchange } from '../../engine/message/exchange.ts';
import { clock } from '../../engine/wire/clock.ts';
import { NEVER } from '../../engine/wire/sweep.ts';
import type { BalancedEndpoint } from './balanced-endpoint.ts';
import { type EndpointPicker, pickUntried } from './endpoint-picker.ts';
import type { RandomNumbers } from './random-numbers.ts';

/** How often the weights of new endpoints are computed again, in milliseconds. */
const RAMP = 100;
const BELOW = 2 ** 32;

/**
 * Draws two endpoints by weight and takes the one with fewer requests for its weight. Two are enough to avoid the
 * busiest, and units that do not know of each other's requests do not all take the same one.
 */
export class LeastRequests implements EndpointPicker {
  private readonly random: RandomNumbers;
  private endpoints: readonly BalancedEndpoint[] = [];
  private weights = new Float64Array(0);
  /** Sums of the weights up to each endpoint. */
  private sums = new Float64Array(0);
  private nextRamp = NEVER;

  constructor(random: RandomNumbers) {
    this.random = random;
  }

  use(endpoints: readonly BalancedEndpoint[]): void {
    this.endpoints = endpoints;
    this.weights = new Float64Array(endpoints.length);
    this.sums = new Float64Array(endpoints.length);
    this.weigh(clock.now);
  }

  private weigh(now: number): void {
    const { endpoints, weights, sums } = this;
    let sum = 0;
    let isWarming = false;
    for (let i = 0; i < endpoints.length; i++) {
      weights[i] = endpoints[i]!.weightAt(now);
      sum += weights[i]!;
      sums[i] = sum;
      isWarming ||= endpoints[i]!.isWarming(now);
    }
    this.nextRamp = isWarming ? now + RAMP : NEVER;
  }

  pick(_exchange: Exchange | null): BalancedEndpoint {
    const { endpoints, weights } = this;
    if (clock.now >= this.nextRamp) this.weigh(clock.now);
    if (endpoints.length === 1) return endpoints[0]!;
    const one = this.draw();
    let two = this.draw();
    if (two === one) two = one + 1 < endpoints.length ? one + 1 : 0;
    return endpoints[endpoints[one]!.load * weights[two]! <= endpoints[two]!.load * weights[one]! ? one : two]!;
  }

  pickExcept(exchange: Exchange, tried: ReadonlySet<unknown>): BalancedEndpoint | null {
    return pickUntried(() => this.pick(exchange), this.endpoints, tried);
  }

  /** Index of a random endpoint, the heavy ones more often. */
  private draw(): number {
    const { sums } = this;
    const last = sums.length - 1;
    const at = (this.random() / BELOW) * sums[last]!;
    let low = 0;
    let high = last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
