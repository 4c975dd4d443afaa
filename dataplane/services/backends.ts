import type { z } from 'zod';
import { AffinityCookie } from '../backends/endpoints/affinity-cookie.ts';
import { affinityKeys } from '../backends/endpoints/affinity-keys.ts';
import { backendsConfig, baseOf } from '../backends/endpoints/backends-fields.ts';
import { BalancedEndpoints, type BalancedEndpointsOptions } from '../backends/endpoints/balanced-endpoints.ts';
import { boundedEndpoints } from '../backends/endpoints/bounded-endpoints.ts';
import { dnsEndpoints } from '../backends/endpoints/dns-endpoints.ts';
import { EndpointMeter } from '../backends/endpoints/endpoint-meter.ts';
import { endpointProbes } from '../backends/endpoints/endpoint-probes.ts';
import { tenantRoom } from '../backends/endpoints/endpoint-room.ts';
import type { EndpointSource } from '../backends/endpoints/endpoint-source.ts';
import { endpointSpec } from '../backends/endpoints/endpoint-spec.ts';
import { HashRing } from '../backends/endpoints/hash-ring.ts';
import { HealthTable } from '../backends/endpoints/health-table.ts';
import { LeastRequests } from '../backends/endpoints/least-requests.ts';
import type { PassiveHealthRules } from '../backends/endpoints/passive-health.ts';
import { tenantPace } from '../backends/endpoints/probe-pace.ts';
import { randomNumbers } from '../backends/endpoints/random-numbers.ts';
import { RoundRobin } from '../backends/endpoints/round-robin.ts';
import { serviceEndpoints } from '../backends/endpoints/services/service-endpoints.ts';
import { NEVER } from '../engine/wire/sweep.ts';
import { defineService, type Parts } from '../heap/definition.ts';
import { UnitLives } from '../heap/unit-lives.ts';

/** Endpoints of a name whose health all units share; each unit judges further ones by itself. */
const SHARED_RECORDS = 64;
/** Places that an endpoint takes in the room of a tenant: its points on a ring are larger than the rest. */
const PLACES_ON_RING = 3;
/** Share of endpoints, in percent, that must be able to serve if the configuration does not say. */
const PANIC_THRESHOLD = 50;

/** Endpoints that do the same, and how requests are spread over them. */
export const backends = defineService({
  type: 'Backends',
  kind: 'backends',
  summary:
    'Spreads the requests of a ReverseProxyHandler or ClientHandler over several endpoints that serve the same ' +
    'application. Each endpoint has its own connections, with the settings of the handler. A request that gets no ' +
    'connection to its endpoint goes to another one, up to four times; a request that was sent is repeated only by ' +
    '`retries`. An endpoint whose requests fail is ejected for a while (`passiveHealth`); one that does not ' +
    'answer probes gets none (`activeHealth`). Egress rules hold for the address of every endpoint.',
  config: backendsConfig,
  examples: [
    {
      title: 'Three endpoints, of which one gets half as many requests',
      config: {
        endpoints: [
          { uri: 'http://10.0.0.7:8080', weight: 2 },
          { uri: 'http://10.0.0.8:8080', weight: 2 },
          { uri: 'http://10.0.0.9:8080' },
        ],
      },
    },
    {
      title: 'All Pods of a headless Service; new ones get their share within a minute',
      config: { dns: { uri: 'http://orders.shop.svc:8080' }, slowStart: '1 minute' },
    },
    {
      title: 'Endpoints that are asked every five seconds whether they can serve',
      config: {
        dns: { uri: 'http://orders.shop.svc:8080' },
        activeHealth: { path: '/ready', interval: '5 seconds' },
      },
    },
    {
      title: 'All requests of a user to the same endpoint',
      config: {
        dns: { uri: 'https://carts.shop.svc:8443' },
        balancing: 'hash',
        hashKey: '${contexts.oauth2.accessToken.info.sub}',
      },
    },
    {
      title: 'Clients stay with an endpoint that is known to TLS by one name',
      config: {
        endpoints: [{ uri: 'https://10.0.0.7:8443' }, { uri: 'https://10.0.0.8:8443' }],
        serverName: 'shop.internal',
        affinityCookie: { name: 'shop-endpoint', secure: true },
      },
    },
  ],
  serviceOf: ({ service }) => service ?? null,
  create(config, parts) {
    const { endpoints, serverName = null, balancing, hashKey, affinityCookie, slowStart } = config;
    const random = randomNumbers();
    const leastRequests = new LeastRequests(random);
    const specs = endpoints?.map(({ uri, weight, name }) =>
      endpointSpec(baseOf(uri), serverName, weight, name ?? null),
    );
    const picker =
      balancing === 'roundRobin'
        ? new RoundRobin(random)
        : hashKey === undefined
          ? leastRequests
          : new HashRing(hashKey, leastRequests);
    const capacity = specs === undefined ? SHARED_RECORDS : 2 * specs.length; // also for those before an update
    const { sharedMemory, unit = 0 } = parts.plane;
    const memory = sharedMemory(`endpoints ${parts.identity} ${capacity}`, HealthTable.bytes(capacity));
    const lives = sharedMemory(UnitLives.memory.name, UnitLives.memory.bytes);
    parts.onClose(() => memory.release());
    parts.onClose(() => lives.release());
    const meter = new EndpointMeter(parts);
    const room = tenantRoom(parts);
    const { identity, log } = parts;
    const places = balancing === 'hash' ? PLACES_ON_RING : 1;
    const bounded = (source: EndpointSource): EndpointSource =>
      room === null ? source : boundedEndpoints(source, { room, places, identity, meter, log });
    const balanced = new BalancedEndpoints({
      source: specs === undefined ? bounded(sourceOf(config, parts)) : { interval: NEVER, ask: () => specs },
      isOfTenant: parts.plane.egress !== undefined,
      picker,
      cookie:
        affinityCookie === undefined ? null : new AffinityCookie(affinityCookie, affinityKeys(parts), parts.identity),
      slowStart: slowStart?.milliseconds ?? 0,
      health: new HealthTable(memory.buffer, unit, new UnitLives(lives.buffer)),
      passive: passiveRules(config.passiveHealth),
      active: activeProbes(config.activeHealth, parts),
      panicThreshold: config.panicThreshold ?? PANIC_THRESHOLD,
      meter,
      log: parts.log,
    });
    parts.onClose(() => balanced.close());
    return balanced;
  },
});

/** Endpoints that change. */
function sourceOf({ dns, service, ...config }: z.output<typeof backendsConfig>, parts: Parts): EndpointSource {
  const serverName = config.serverName ?? null;
  if (dns !== undefined) return dnsEndpoints(baseOf(dns.uri), serverName, dns.interval.milliseconds);
  const live = service === undefined ? null : (parts.plane.service?.(service) ?? null);
  if (service === undefined || live === null) throw new Error('the Service is not among the resources of the route');
  return serviceEndpoints(live, { ...service, serverName });
}

function activeProbes(
  config: z.output<typeof backendsConfig>['activeHealth'],
  parts: Parts,
): BalancedEndpointsOptions['active'] {
  if (config === undefined) return null;
  const { path = '/', expectedStatuses = [], service = '', interval } = config;
  return {
    rules: { ...config, interval: interval.milliseconds, pace: tenantPace(parts) },
    probe: endpointProbes({ ...config, path, expectedStatuses, service }, parts),
  };
}

/** The rules as the judge of endpoints has them. */
function passiveRules(config: z.output<typeof backendsConfig>['passiveHealth']): PassiveHealthRules | null {
  const { enabled, failureRate, failureStatuses, ejectionTime, maxEjectionTime } = config;
  if (!enabled) return null;
  return {
    ...config,
    failureRate: failureRate === undefined ? null : { ...failureRate, window: failureRate.window.milliseconds },
    failureStatuses: new Set(failureStatuses),
    ejectionTime: ejectionTime.milliseconds,
    maxEjectionTime: maxEjectionTime.milliseconds,
  };
}
