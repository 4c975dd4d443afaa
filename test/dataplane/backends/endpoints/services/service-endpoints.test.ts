import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { sharedResourceHash } from '../../../../../contract/shared-resources.ts';
import type { ServiceEndpoints, ServiceTarget, SharedResource } from '../../../../../contract/snapshot.ts';
import { BalancedEndpoints } from '../../../../../dataplane/backends/endpoints/balanced-endpoints.ts';
import { EndpointMeter } from '../../../../../dataplane/backends/endpoints/endpoint-meter.ts';
import { HealthTable } from '../../../../../dataplane/backends/endpoints/health-table.ts';
import { randomNumbers } from '../../../../../dataplane/backends/endpoints/random-numbers.ts';
import { RoundRobin } from '../../../../../dataplane/backends/endpoints/round-robin.ts';
import { HeldServices } from '../../../../../dataplane/backends/endpoints/services/held-services.ts';
import { serviceEndpoints } from '../../../../../dataplane/backends/endpoints/services/service-endpoints.ts';
import { objectParts } from '../../../../support/gateways/object-parts.ts';
import { plainExchange } from '../../../../support/gateways/plain-exchange.ts';

const KEY = 'Service/shop/orders';
const FAMILIES = new Set([4]);

function resource(...targets: readonly (string | ServiceTarget)[]): ServiceEndpoints {
  const made = {
    type: 'service-endpoints',
    key: KEY,
    ports: [{ name: 'http', port: 80 }],
    targets: targets.map((one) => (typeof one === 'string' ? { addresses: [one], ports: { http: 8080 } } : one)),
  } as const;
  return { ...made, hash: sharedResourceHash(made) };
}

/** Backends of a Service whose endpoints the test gives. */
class Orders {
  readonly gone: string[] = [];
  readonly logged: string[] = [];
  readonly endpoints: BalancedEndpoints;
  private held = new Map<string, SharedResource>();
  private readonly services: HeldServices;

  /** Addresses of names outside of the cluster. */
  readonly names = new Map<string, readonly string[]>();

  constructor(zone: string | null = null, scheme = 'http') {
    this.services = new HeldServices(() => this.held, zone);
    const lookup = async (host: string): Promise<readonly string[]> => {
      const found = this.names.get(host);
      if (found === undefined) throw new Error(`no address of ${host}`);
      return found;
    };
    const options = { port: 80, scheme, serverName: null, families: FAMILIES, lookup };
    this.endpoints = new BalancedEndpoints({
      source: serviceEndpoints(this.services.at(KEY), options),
      isOfTenant: true,
      picker: new RoundRobin(randomNumbers(1)),
      cookie: null,
      slowStart: 0,
      health: new HealthTable(new SharedArrayBuffer(HealthTable.bytes(8))),
      passive: {
        consecutiveFailures: 1,
        failureRate: null,
        failureStatuses: new Set([503]),
        ejectionTime: 600_000,
        maxEjectionTime: 600_000,
        maxEjected: 100,
      },
      active: null,
      panicThreshold: 50,
      meter: new EndpointMeter(objectParts({}).parts),
      log: pino({}, { write: (line: string) => this.logged.push(JSON.parse(line).msg) }),
    });
    this.endpoints.join({ left: ({ base }) => this.gone.push(base.host) });
  }

  /** A controller sends these. */
  async become(next: ServiceEndpoints | null): Promise<void> {
    this.held = new Map(next === null ? [] : [[KEY, next]]);
    this.services.tell();
    await this.endpoints.known();
  }

  get hosts(): string[] {
    const found = Array.from({ length: 12 }, () => this.endpoints.choose(plainExchange())?.base.host ?? 'none');
    return [...new Set(found)].sort();
  }

  fail(host: string): void {
    const chosen = Array.from({ length: 12 }, () => this.endpoints.choose(plainExchange()));
    chosen.find((endpoint) => endpoint?.base.host === host)!.answered(503, true, true);
  }
}

describe('endpoints of a Service', () => {
  it('are those that controllers sent last, and none before', async () => {
    const orders = new Orders();
    expect(orders.hosts).toEqual(['none']);
    expect(await orders.endpoints.known()).toBe('the Service shop/orders has no ready endpoints at port 80');
    await orders.become(resource('10.0.0.1', '10.0.0.2'));
    expect(orders.hosts).toEqual(['10.0.0.1', '10.0.0.2']);
    await orders.become(resource('10.0.0.2', '10.0.0.3'));
    expect([orders.hosts, orders.gone]).toEqual([['10.0.0.2', '10.0.0.3'], ['10.0.0.1']]);
  });

  it('are gone when a controller says so', async () => {
    const orders = new Orders();
    await orders.become(resource('10.0.0.1'));
    await orders.become(resource());
    expect([orders.hosts, orders.gone]).toEqual([['none'], ['10.0.0.1']]);
    await orders.become(resource('10.0.0.4'));
    expect(orders.hosts).toEqual(['10.0.0.4']);
    expect(orders.logged).toEqual([
      'endpoints not found; requests get 502 until there are some',
      'endpoints found again',
      'endpoints not found; requests get 502 until there are some',
      'endpoints found again',
    ]);
  });

  it('are known to TLS by the name of the Service', async () => {
    const orders = new Orders(null, 'https');
    await orders.become(resource('10.0.0.1'));
    const { base, serverName } = orders.endpoints.choose(plainExchange())!;
    expect([base.scheme, base.port, serverName]).toEqual(['https', 8080, 'orders.shop.svc']);
  });

  it('are followed no more after the end', async () => {
    const orders = new Orders();
    await orders.become(resource('10.0.0.1'));
    orders.endpoints.close();
    await orders.become(resource('10.0.0.2'));
    expect(orders.hosts).toEqual(['10.0.0.1']);
  });
});

describe('endpoints of a Service that stands for an external name', () => {
  const external = (externalName: string, ports = [{ name: 'http', port: 80 }]): ServiceEndpoints => {
    const made = { type: 'service-endpoints', key: KEY, ports, targets: [], externalName } as const;
    return { ...made, hash: sharedResourceHash(made) };
  };

  it('are all addresses of that name, which TLS verifies', async () => {
    const orders = new Orders(null, 'https');
    orders.names.set('db.example.com', ['192.0.2.1', '192.0.2.2']);
    await orders.become(external('db.example.com', []));
    expect(orders.hosts).toEqual(['192.0.2.1', '192.0.2.2']);
    const { base, serverName } = orders.endpoints.choose(plainExchange())!;
    expect([base.port, serverName]).toEqual([80, 'db.example.com']);
  });

  it('are never those of an earlier name', async () => {
    const orders = new Orders();
    orders.names.set('db.example.com', ['192.0.2.1']);
    await orders.become(external('db.example.com'));
    await orders.become(external('other.example.com'));
    expect(orders.hosts).toEqual(['none']);
    expect(await orders.endpoints.known()).toBe(
      'the external name other.example.com of the Service shop/orders has no address',
    );
  });

  it('are gone as soon as the operator withdraws the name, also while it is resolved', async () => {
    const orders = new Orders();
    orders.names.set('db.example.com', ['192.0.2.1']);
    const resolving = orders.become(external('db.example.com'));
    await orders.become(resource());
    await resolving;
    expect(orders.hosts).toEqual(['none']);
  });

  it('make way for Pods when the Service gets them', async () => {
    const orders = new Orders();
    orders.names.set('db.example.com', ['192.0.2.1']);
    await orders.become(external('db.example.com'));
    await orders.become(resource('10.0.0.1'));
    expect(orders.hosts).toEqual(['10.0.0.1']);
  });
});

describe('endpoints of other zones', () => {
  const hinted = (zones: Readonly<Record<string, string>>): ServiceEndpoints =>
    resource(
      ...Object.entries(zones).map(([address, zone]) => ({
        addresses: [address],
        ports: { http: 8080 },
        zones: [zone],
      })),
    );
  const ZONES = { '10.0.0.1': 'a', '10.0.0.2': 'a', '10.0.0.3': 'b' };

  it('get requests only when too few near ones can serve', async () => {
    const orders = new Orders('a');
    await orders.become(hinted(ZONES));
    expect(orders.hosts).toEqual(['10.0.0.1', '10.0.0.2']);
    orders.fail('10.0.0.1');
    expect(orders.hosts).toEqual(['10.0.0.2']);
    orders.fail('10.0.0.2');
    expect(orders.hosts).toContain('10.0.0.3');
  });

  it('become near ones with another hint, and keep their connections', async () => {
    const orders = new Orders('a');
    await orders.become(hinted(ZONES));
    await orders.become(hinted({ ...ZONES, '10.0.0.3': 'a', '10.0.0.1': 'b' }));
    expect([orders.hosts, orders.gone]).toEqual([['10.0.0.2', '10.0.0.3'], []]);
  });
});
