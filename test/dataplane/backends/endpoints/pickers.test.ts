import { beforeEach, describe, expect, it } from 'vitest';
import type { RuntimeExpression } from '../../../../contract/vocabulary/runtime.ts';
import { BalancedEndpoint } from '../../../../dataplane/backends/endpoints/balanced-endpoint.ts';
import type { EndpointPicker } from '../../../../dataplane/backends/endpoints/endpoint-picker.ts';
import { endpointSpec } from '../../../../dataplane/backends/endpoints/endpoint-spec.ts';
import { HashRing } from '../../../../dataplane/backends/endpoints/hash-ring.ts';
import { HealthTable } from '../../../../dataplane/backends/endpoints/health-table.ts';
import { LeastRequests } from '../../../../dataplane/backends/endpoints/least-requests.ts';
import { randomNumbers } from '../../../../dataplane/backends/endpoints/random-numbers.ts';
import { RoundRobin } from '../../../../dataplane/backends/endpoints/round-robin.ts';
import type { Backend } from '../../../../dataplane/engine/backend/backend.ts';
import { Uri } from '../../../../dataplane/engine/message/uri.ts';
import { clock } from '../../../../dataplane/engine/wire/clock.ts';
import { plainExchange } from '../../../support/gateways/plain-exchange.ts';

const SEED = 7;
const exchange = plainExchange();

interface Given {
  readonly weight?: number;
  readonly joined?: number;
  readonly slowStart?: number;
}

function endpoint(index: number, given: Given = {}): BalancedEndpoint {
  const { weight = 1, joined = Number.NEGATIVE_INFINITY, slowStart = 0 } = given;
  const spec = endpointSpec(Uri.parse(`http://10.0.0.${index}:8080`), null, weight, null);
  const health = new HealthTable(new SharedArrayBuffer(HealthTable.bytes(1))).take(spec.key);
  const ignored = (): void => {};
  const counts = { answered: ignored, failed: ignored, moved: ignored };
  return new BalancedEndpoint(spec, index, joined, { slowStart, health, counts, judge: null });
}

const endpoints = (...given: readonly Given[]): BalancedEndpoint[] => given.map((one, index) => endpoint(index, one));

/** Load of an endpoint as its pool would report it. */
function load(at: BalancedEndpoint, requests: number): void {
  at.pools.splice(0, 1, { load: requests } as Backend);
}

function counts(picker: EndpointPicker, all: readonly BalancedEndpoint[], picks: number): number[] {
  const counted = new Map(all.map((one) => [one, 0]));
  for (let i = 0; i < picks; i++) {
    const picked = picker.pick(exchange);
    counted.set(picked, counted.get(picked)! + 1);
  }
  return [...counted.values()];
}

/** Sum of the squared differences from what was expected, each in relation to it. */
function chiSquare(observed: readonly number[], weights: readonly number[]): number {
  const total = observed.reduce((sum, one) => sum + one);
  const all = weights.reduce((sum, one) => sum + one);
  return observed.reduce(
    (sum, one, i) => sum + (one - (total * weights[i]!) / all) ** 2 / ((total * weights[i]!) / all),
    0,
  );
}

/** Values that chance exceeds once in a thousand times, for this many endpoints. */
const CRITICAL = new Map([
  [3, 13.8],
  [10, 27.9],
]);

function using<P extends EndpointPicker>(picker: P, all: readonly BalancedEndpoint[]): P {
  picker.use(all);
  return picker;
}

function keyed(): { readonly ring: HashRing; with(key: string | null): void } {
  let key: string | null = null;
  const expression: RuntimeExpression<string> = { source: '', compiled: null, remarks: [], read: () => key };
  return {
    ring: new HashRing(expression, new LeastRequests(randomNumbers(SEED))),
    with(text) {
      key = text;
    },
  };
}

beforeEach(() => {
  clock.now = 0;
});

describe('leastRequests', () => {
  it.each([
    ['equal endpoints', Array(10).fill(1)],
    ['weights', [1, 2, 5]],
  ])('spreads requests over idle endpoints by their weights: %s', (_case, weights: number[]) => {
    const all = endpoints(...weights.map((weight) => ({ weight })));
    const observed = counts(using(new LeastRequests(randomNumbers(SEED)), all), all, 10_000);
    expect(chiSquare(observed, weights)).toBeLessThan(CRITICAL.get(weights.length)!);
  });

  it('gives the busiest of several endpoints nothing', () => {
    const all = endpoints({}, {}, {});
    for (const [index, requests] of [5, 1, 1].entries()) load(all[index]!, requests);
    const observed = counts(using(new LeastRequests(randomNumbers(SEED)), all), all, 3000);
    expect(observed[0]).toBe(0);
  });

  it('measures load in relation to weight', () => {
    const all = endpoints({ weight: 10 }, { weight: 1 });
    load(all[0]!, 5);
    load(all[1]!, 1);
    const picker = using(new LeastRequests(randomNumbers(SEED)), all);
    expect(counts(picker, all, 100)).toEqual([100, 0]);
    load(all[0]!, 15);
    expect(counts(picker, all, 100)).toEqual([0, 100]);
  });

  it('begins elsewhere in every unit', () => {
    const all = endpoints(...Array(10).fill({}));
    const first = Array.from({ length: 40 }, () => using(new LeastRequests(randomNumbers()), all).pick(exchange));
    expect(new Set(first).size).toBeGreaterThan(1);
  });
});

describe('roundRobin', () => {
  it('takes equal endpoints in turn', () => {
    const all = endpoints({}, {}, {});
    const picker = using(new RoundRobin(randomNumbers(SEED)), all);
    const picks = Array.from({ length: 9 }, () => picker.pick(exchange));
    expect(new Set(picks.slice(0, 3)).size).toBe(3);
    expect(picks.slice(3)).toEqual([...picks.slice(0, 3), ...picks.slice(0, 3)]);
  });

  it('gives each endpoint its weight in every cycle, spread out', () => {
    const all = endpoints({ weight: 5 }, { weight: 1 }, { weight: 2 });
    const picker = using(new RoundRobin(randomNumbers(SEED)), all);
    expect(counts(picker, all, 800)).toEqual([500, 100, 200]);
    const picks = Array.from({ length: 80 }, () => picker.pick(exchange) === all[0]);
    expect(picks.map(Number).join('')).not.toContain('11111');
  });

  it('lets endpoints that stay keep their turn', () => {
    const all = endpoints({}, {}, {}, {});
    const picker = using(new RoundRobin(randomNumbers(SEED)), all);
    const last = picker.pick(exchange);
    const staying = all.filter((one) => one === last || one !== all[all.indexOf(last) === 0 ? 1 : 0]);
    picker.use(staying);
    const next = Array.from({ length: 2 }, () => picker.pick(exchange));
    expect(next).not.toContain(last);
  });
});

describe('hash', () => {
  const KEYS = Array.from({ length: 20_000 }, (_, i) => `user-${i}`);

  function owners(all: readonly BalancedEndpoint[], keys: readonly string[] = KEYS): BalancedEndpoint[] {
    const hashing = keyed();
    hashing.ring.use(all);
    return keys.map((key) => {
      hashing.with(key);
      return hashing.ring.pick(exchange);
    });
  }

  it.each([3, 10])('moves at most 1/n + 5 %% of the keys when one of %i endpoints goes', (n) => {
    const all = endpoints(...Array(n).fill({}));
    const before = owners(all);
    for (const gone of all) {
      const after = owners(all.filter((one) => one !== gone));
      const moved = before.filter((owner, i) => owner !== after[i]);
      expect(moved.every((owner) => owner === gone)).toBe(true);
      expect(moved.length / KEYS.length).toBeLessThan(1 / n + 0.05);
    }
  });

  // The ring itself is uneven by design: the shares of endpoints differ by a sixteenth (the root of 256 points). So the
  // keys of users are compared with random ones on the same ring, and the shares of the ring have a bound of their own.
  it.each<[string, (at: number) => string]>([
    ['numbered names', (at) => `user-${at}`],
    ['numbers', (at) => String(at)],
    ['e-mail addresses', (at) => `user.${at}@example.com`],
    ['long texts with the same beginning and end', (at) => `${'a'.repeat(60)}${at}${'z'.repeat(60)}`],
    ['addresses', (at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`],
  ])('spreads %s over the endpoints as it spreads random keys', (_case, keyAt) => {
    const all = endpoints(...Array(10).fill({}));
    const random = randomNumbers(SEED);
    const counted = (keys: readonly string[]): number[] => {
      const found = owners(all, keys);
      return all.map((one) => found.filter((owner) => owner === one).length);
    };
    const users = counted(Array.from({ length: 20_000 }, (_, at) => keyAt(at)));
    const others = counted(Array.from({ length: 20_000 }, () => `${random()}-${random()}`));
    const difference = users.reduce((sum, one, at) => sum + (one - others[at]!) ** 2 / (one + others[at]!), 0);
    expect(difference).toBeLessThan(CRITICAL.get(10)!);
  });

  it.each([3, 10, 50])('gives each of %i endpoints its share of the keys, give or take a quarter', (n) => {
    const all = endpoints(...Array(n).fill({}));
    const found = owners(
      all,
      Array.from({ length: 100_000 }, (_, at) => `user-${at}`),
    );
    for (const one of all) {
      const share = (found.filter((owner) => owner === one).length / found.length) * n;
      expect(share).toBeGreaterThan(0.75);
      expect(share).toBeLessThan(1.25);
    }
  });

  it('has the same owners after changes as if it were built anew', () => {
    const all = endpoints(...Array.from({ length: 40 }, (_, i) => ({ weight: 1 + (i % 3) })));
    const hashing = keyed();
    const ownersNow = (): BalancedEndpoint[] =>
      KEYS.slice(0, 2000).map((key) => {
        hashing.with(key);
        return hashing.ring.pick(exchange);
      });
    const random = randomNumbers(SEED);
    for (let round = 0; round < 30; round++) {
      const some = all.filter((_, i) => i === round || random() % 3 > 0);
      hashing.ring.use(some);
      expect(ownersNow()).toEqual(owners(some).slice(0, 2000));
    }
  });

  it('gives endpoints shares by their weights', () => {
    const all = endpoints({ weight: 4 }, { weight: 4 }, { weight: 1 });
    const shares = all.map((one) => owners(all).filter((owner) => owner === one).length / KEYS.length);
    for (const [index, share] of [4 / 9, 4 / 9, 1 / 9].entries())
      expect(Math.abs(shares[index]! - share)).toBeLessThan(0.06);
  });

  it('has the same second choice for a key everywhere', () => {
    const all = endpoints({}, {}, {}, {});
    const hashing = keyed();
    hashing.ring.use(all);
    hashing.with('user-1');
    const first = hashing.ring.pick(exchange);
    const second = hashing.ring.pickExcept(exchange, new Set([first]))!;
    expect(second).not.toBe(first);
    const without = keyed();
    without.ring.use(all.filter((one) => one !== first));
    without.with('user-1');
    expect(without.ring.pick(exchange)).toBe(second);
    expect(hashing.ring.pickExcept(exchange, new Set(all))).toBeNull();
  });

  it.each([null, ''])('spreads requests without a key (%j)', (key) => {
    const all = endpoints({}, {}, {});
    const hashing = keyed();
    hashing.ring.use(all);
    hashing.with(key);
    expect(chiSquare(counts(hashing.ring, all, 10_000), [1, 1, 1])).toBeLessThan(CRITICAL.get(3)!);
  });
});

describe.each([
  ['leastRequests', LeastRequests],
  ['roundRobin', RoundRobin],
])('slow start with %s', (_name, Picker) => {
  it('begins at a tenth of the weight and ends at all of it', () => {
    const all = endpoints({}, { joined: 1000, slowStart: 10_000 });
    const picker = new Picker(randomNumbers(SEED));
    const shareAt = (now: number): number => {
      clock.now = now;
      return counts(picker, all, 10_000)[1]! / 10_000;
    };
    clock.now = 1000;
    picker.use(all);
    expect(shareAt(1000)).toBeCloseTo(0.1 / 1.1, 1);
    expect(shareAt(6000)).toBeCloseTo(0.5 / 1.5, 1);
    expect(shareAt(11_000)).toBeCloseTo(0.5, 1);
  });

  it('finds an endpoint that was not tried', () => {
    const all = endpoints({ weight: 1000 }, { weight: 1 }, { weight: 1 });
    const picker = using(new Picker(randomNumbers(SEED)), all);
    expect(picker.pickExcept(exchange, new Set(all.slice(0, 2)))).toBe(all[2]);
    expect(picker.pickExcept(exchange, new Set(all))).toBeNull();
  });
});
