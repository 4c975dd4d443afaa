import { createSecretKey } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { AffinityCookie, affinityFields } from '../../../../dataplane/backends/endpoints/affinity-cookie.ts';
import { BalancedEndpoints } from '../../../../dataplane/backends/endpoints/balanced-endpoints.ts';
import { dnsEndpoints } from '../../../../dataplane/backends/endpoints/dns-endpoints.ts';
import { EndpointMeter } from '../../../../dataplane/backends/endpoints/endpoint-meter.ts';
import { endpointSpec } from '../../../../dataplane/backends/endpoints/endpoint-spec.ts';
import { HealthTable } from '../../../../dataplane/backends/endpoints/health-table.ts';
import { LeastRequests } from '../../../../dataplane/backends/endpoints/least-requests.ts';
import { randomNumbers } from '../../../../dataplane/backends/endpoints/random-numbers.ts';
import { RoundRobin } from '../../../../dataplane/backends/endpoints/round-robin.ts';
import { Uri } from '../../../../dataplane/engine/message/uri.ts';
import { clock } from '../../../../dataplane/engine/wire/clock.ts';
import { NEVER } from '../../../../dataplane/engine/wire/sweep.ts';
import type { BackendEndpoint } from '../../../../dataplane/heap/objects/backends.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';
import { plainExchange } from '../../../support/gateways/plain-exchange.ts';

/** A name whose addresses the test gives, one answer after the other. */
class Name {
  asked = 0;
  readonly logged: Record<string, unknown>[] = [];
  readonly gone: string[] = [];
  private answers: (readonly string[] | Error)[] = [];
  private waiting: (() => void)[] = [];
  readonly endpoints: BalancedEndpoints;

  constructor(health = new HealthTable(new SharedArrayBuffer(HealthTable.bytes(8)))) {
    const source = dnsEndpoints(Uri.parse('https://app.test:8443'), null, 5000, async () => {
      this.asked++;
      while (this.answers.length === 0) await new Promise<void>((resolve) => this.waiting.push(resolve));
      const answer = this.answers.shift()!;
      if (answer instanceof Error) throw answer;
      return answer;
    });
    this.endpoints = new BalancedEndpoints({
      source,
      isOfTenant: false,
      picker: new RoundRobin(randomNumbers(1)),
      cookie: null,
      slowStart: 0,
      health,
      passive: null,
      active: null,
      panicThreshold: 50,
      meter: new EndpointMeter(objectParts({}).parts),
      log: pino({}, { write: (line: string) => this.logged.push(JSON.parse(line)) }),
    });
    this.endpoints.join({ left: ({ base }) => this.gone.push(base.host) });
  }

  /** Answers the question that is asked, or the next one, and waits until the endpoints know. */
  async answer(...addresses: readonly string[]): Promise<void> {
    await this.give(addresses);
  }

  async fail(): Promise<void> {
    await this.give(new Error('no such name'));
  }

  private async give(answer: readonly string[] | Error): Promise<void> {
    this.answers.push(answer);
    for (const wake of this.waiting.splice(0)) wake();
    await this.endpoints.known();
  }

  get hosts(): string[] {
    const found = Array.from({ length: 12 }, () => this.endpoints.choose(plainExchange())?.base.host ?? 'none');
    return [...new Set(found)].sort();
  }
}

/** Moves the clock of the engine, which stands still between turns. */
function at(milliseconds: number): void {
  clock.now = performance.now() + milliseconds;
}

beforeEach(() => at(0));

it.each([
  ['leastRequests', LeastRequests],
  ['roundRobin', RoundRobin],
])('clients without an affinity cookie are spread evenly over the endpoints by %s', (_name, Picker) => {
  const health = new HealthTable(new SharedArrayBuffer(HealthTable.bytes(20)));
  const keys = [createSecretKey(Buffer.alloc(32, 7))];
  const specs = Array.from({ length: 10 }, (_, at) => endpointSpec(Uri.parse(`http://10.0.0.${at}:80`), null, 1, null));
  const balanced = new BalancedEndpoints({
    source: { interval: NEVER, ask: () => specs },
    isOfTenant: false,
    picker: new Picker(randomNumbers(7)),
    cookie: new AffinityCookie(affinityFields.parse({}), () => keys, 'test'),
    slowStart: 0,
    health,
    ...{ passive: null, active: null, panicThreshold: 50 },
    meter: new EndpointMeter(objectParts({}).parts),
    log: pino({ enabled: false }),
  });
  const counts = new Map(specs.map(({ base }) => [base.host, 0]));
  for (let i = 0; i < 10_000; i++) {
    const { host } = balanced.choose(plainExchange())!.base;
    counts.set(host, counts.get(host)! + 1);
  }
  const chiSquare = [...counts.values()].reduce((sum, one) => sum + (one - 1000) ** 2 / 1000, 0);
  expect(chiSquare).toBeLessThan(27.9); // which chance exceeds once in a thousand times
});

describe('endpoints of a name', () => {
  it('are all its addresses, each once, known to TLS by the name', async () => {
    const name = new Name();
    expect(name.hosts).toEqual(['none']);
    await name.answer('10.0.0.1', '10.0.0.2', 'fd00::1', '10.0.0.1');
    expect(name.hosts).toEqual(['10.0.0.1', '10.0.0.2', 'fd00::1']);
    const { base, serverName } = name.endpoints.choose(plainExchange())!;
    expect([base.scheme, base.port, serverName]).toEqual(['https', 8443, 'app.test']);
  });

  it('are a thousand at most', async () => {
    const name = new Name();
    await name.answer(...Array.from({ length: 1200 }, (_, i) => `10.0.${i >> 8}.${i & 255}`));
    const found = Array.from({ length: 1200 }, () => name.endpoints.choose(plainExchange())!.base.host);
    expect(new Set(found).size).toBe(1000);
  });

  it('are asked for again after the interval, while the last answer is used', async () => {
    const name = new Name();
    await name.answer('10.0.0.1', '10.0.0.2');
    expect([name.hosts, name.asked]).toEqual([['10.0.0.1', '10.0.0.2'], 1]);
    at(5500);
    expect([name.hosts, name.asked]).toEqual([['10.0.0.1', '10.0.0.2'], 2]);
    await name.answer('10.0.0.2', '10.0.0.3');
    expect([name.hosts, name.gone]).toEqual([['10.0.0.2', '10.0.0.3'], ['10.0.0.1']]);
  });

  it('stay the last known ones while the name does not resolve', async () => {
    const name = new Name();
    await name.answer('10.0.0.1');
    at(5500);
    void name.hosts;
    await name.fail();
    at(600_000);
    expect(name.hosts).toEqual(['10.0.0.1']);
    await name.fail();
    expect(name.hosts).toEqual(['10.0.0.1']);
    const msg = 'endpoints not found; the last known ones are used';
    expect(name.logged).toMatchObject([{ level: 40, msg, reason: 'no such name' }]);
    at(1_200_000);
    void name.hosts;
    await name.answer('10.0.0.9');
    at(0);
    expect(name.hosts).toEqual(['10.0.0.9']);
    expect(name.logged.slice(1)).toMatchObject([{ level: 30, msg: 'endpoints found again', endpoints: 1 }]);
  });

  it('are not used when nobody asked for them for a minute', async () => {
    const name = new Name();
    await name.answer('10.0.0.1');
    at(70_000);
    expect(name.hosts).toEqual(['none']);
    await name.answer('10.0.0.2');
    at(0);
    expect(name.hosts).toEqual(['10.0.0.2']);
  });

  it('are asked for again after a failed connection, at most once a second', async () => {
    const name = new Name();
    await name.answer('10.0.0.1', '10.0.0.2');
    const exchange = plainExchange();
    name.endpoints.another(exchange, name.endpoints.choose(exchange)!);
    void name.hosts;
    expect(name.asked).toBe(1);
    at(1100);
    void name.hosts;
    expect(name.asked).toBe(2);
    await name.answer('10.0.0.1');
  });

  it('say why there are none', async () => {
    const name = new Name();
    await name.fail();
    expect(await name.endpoints.known()).toBe('no such name');
    expect(name.asked).toBe(1);
    expect(name.logged).toMatchObject([{ msg: 'endpoints not found; requests get 502 until there are some' }]);
  });

  it('without an address count as an answer that failed', async () => {
    const name = new Name();
    await name.answer();
    expect(await name.endpoints.known()).toBe('there are no endpoints');
  });
});

describe('another endpoint', () => {
  it('is one that the request was not offered to, five at most', async () => {
    const name = new Name();
    await name.answer(...Array.from({ length: 8 }, (_, i) => `10.0.0.${i}`));
    const exchange = plainExchange();
    const offered: BackendEndpoint[] = [name.endpoints.choose(exchange)!];
    for (let next = name.endpoints.another(exchange, offered[0]!); next !== null; ) {
      offered.push(next);
      next = name.endpoints.another(exchange, next);
    }
    expect(new Set(offered).size).toBe(5);
    expect(offered).toHaveLength(5);
  });

  it('does not exist beside the only one', async () => {
    const name = new Name();
    await name.answer('10.0.0.1');
    const exchange = plainExchange();
    expect(name.endpoints.another(exchange, name.endpoints.choose(exchange)!)).toBeNull();
  });
});

describe('slots', () => {
  it('are used again by endpoints that come later', async () => {
    const name = new Name();
    await name.answer('10.0.0.1', '10.0.0.2');
    at(5500);
    void name.hosts;
    await name.answer('10.0.0.2', '10.0.0.3', '10.0.0.4');
    const slots = new Map(
      Array.from({ length: 9 }, () => name.endpoints.choose(plainExchange())!).map(({ base, slot }) => [
        base.host,
        slot,
      ]),
    );
    expect([...slots.values()].sort()).toEqual([0, 1, 2]);
  });
});

describe('after their end', () => {
  const tableOfOne = (): HealthTable => new HealthTable(new SharedArrayBuffer(HealthTable.bytes(1)));

  it('endpoints that change leave the records of other units alone', async () => {
    const table = tableOfOne();
    const name = new Name(table);
    const other = table.take('10.0.0.1:8443');
    await name.answer('10.0.0.1');
    name.endpoints.close();
    at(5500);
    void name.hosts;
    await name.answer('10.0.0.2');
    expect(name.hosts).toEqual(['10.0.0.2']);
    expect([other.failed(), table.take('10.0.0.1:8443').failed()]).toEqual([1, 2]);
  });

  it('endpoints that are found late serve requests that wait for them, and hold no record', async () => {
    const table = tableOfOne();
    const name = new Name(table);
    name.endpoints.close();
    await name.answer('10.0.0.1');
    expect(name.hosts).toEqual(['10.0.0.1']);
    expect([table.take('10.0.0.2:8443').failed(), table.take('10.0.0.2:8443').failed()]).toEqual([1, 2]);
  });
});
