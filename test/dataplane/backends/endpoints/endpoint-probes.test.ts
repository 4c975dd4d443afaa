import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readDuration } from '../../../../contract/duration.ts';
import { BalancedEndpoints } from '../../../../dataplane/backends/endpoints/balanced-endpoints.ts';
import { dnsEndpoints } from '../../../../dataplane/backends/endpoints/dns-endpoints.ts';
import { EndpointMeter } from '../../../../dataplane/backends/endpoints/endpoint-meter.ts';
import { endpointProbes } from '../../../../dataplane/backends/endpoints/endpoint-probes.ts';
import { HealthTable } from '../../../../dataplane/backends/endpoints/health-table.ts';
import { probePace } from '../../../../dataplane/backends/endpoints/probe-pace.ts';
import { randomNumbers } from '../../../../dataplane/backends/endpoints/random-numbers.ts';
import { RoundRobin } from '../../../../dataplane/backends/endpoints/round-robin.ts';
import { Uri } from '../../../../dataplane/engine/message/uri.ts';
import { answering, startApp } from '../../../support/backends/endpoint-apps.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';

it.each<[string, readonly string[], (address: string) => boolean, string | null]>([
  ['answers at its second address', ['127.0.0.2', '127.0.0.1'], () => true, null],
  ['may be reached at its second address', ['127.0.0.2', '127.0.0.1'], (one) => one === '127.0.0.1', null],
  ['may not be reached', ['127.0.0.2', '127.0.0.1'], () => false, 'the address is not allowed (egress rule)'],
  ['has no address', [], () => true, 'the host name has no address'],
])('a tcp probe of an endpoint that %s', async (_case, addresses, mayReach, reason) => {
  const app = await startApp(answering('one'));
  const { parts } = objectParts({}, { mayReach });
  const config = {
    protocol: 'tcp',
    path: '/',
    expectedStatuses: [],
    service: '',
    timeout: readDuration('20 s'),
  } as const;
  const probe = endpointProbes(config, parts, async () => addresses);
  const base = Uri.parse(`http://app.test:${app.port}`);
  const endpoint = {
    base,
    serverName: 'app.test',
    slot: 0,
    pools: [],
    answered() {},
    ended() {},
    broke() {},
    refused() {},
    moved() {},
    tunnelled: () => () => {},
  };
  expect(await probe(endpoint)).toBe(reason);
});

it('probes go to the addresses that a name has now, also without requests', async () => {
  const probed = new Set<string>();
  let asked = 0;
  const endpoints = new BalancedEndpoints({
    source: dnsEndpoints(Uri.parse('http://app.test'), null, 100, async () => [`192.0.2.${Math.min(++asked, 3)}`]),
    isOfTenant: false,
    picker: new RoundRobin(randomNumbers(1)),
    cookie: null,
    slowStart: 0,
    health: new HealthTable(new SharedArrayBuffer(HealthTable.bytes(8))),
    passive: null,
    active: {
      rules: { interval: 100, healthyThreshold: 1, unhealthyThreshold: 1, pace: null },
      async probe({ base }) {
        probed.add(base.host);
        return null;
      },
    },
    panicThreshold: 50,
    meter: new EndpointMeter(objectParts({}).parts),
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => endpoints.close());
  await vi.waitUntil(() => probed.has('192.0.2.3'), { timeout: 20_000 });
});

it('probes of a tenant take places in shared memory, a hundred in a second', () => {
  const memory = new SharedArrayBuffer(4);
  let now = 2 ** 31 - 15;
  const [one, two] = [probePace(memory, () => now | 0), probePace(memory, () => now | 0)];
  expect([one(), two(), one(), two()]).toEqual([0, 10, 20, 30]);
  now += 35;
  expect([one(), two()]).toEqual([5, 15]);
  now += 1000;
  expect(one()).toBe(0);
});

it('a name has no endpoints at addresses with a zone', async () => {
  const lookup = async (): Promise<string[]> => ['fe80::1%eth0', '192.0.2.1', '2001:db8::1'];
  const specs = await dnsEndpoints(Uri.parse('http://app.test:81'), null, 100, lookup).ask();
  expect(specs.map(({ key }) => key)).toEqual(['192.0.2.1:81', '[2001:db8::1]:81']);
});
