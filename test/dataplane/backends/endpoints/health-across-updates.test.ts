import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { BalancedEndpoints } from '../../../../dataplane/backends/endpoints/balanced-endpoints.ts';
import { HealthTable } from '../../../../dataplane/backends/endpoints/health-table.ts';
import { clock } from '../../../../dataplane/engine/wire/clock.ts';
import { namedMemory } from '../../../../dataplane/heap/shared-memory.ts';
import { backends } from '../../../../dataplane/services/backends.ts';
import { answering, deadPort, endpointsAt, startApp } from '../../../support/backends/endpoint-apps.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';
import { plainExchange } from '../../../support/gateways/plain-exchange.ts';

const LONG = 20_000;
const sharedMemory = namedMemory();

/** The same object of a configuration, in one unit after an update or in another unit. */
function built(identity: string, config: Record<string, unknown>) {
  const made = objectParts({}, { sharedMemory });
  onTestFinished(() => made.close());
  const parsed = backends.config.parse({ balancing: 'roundRobin', ...config });
  const object = backends.create(parsed, { ...made.parts, identity }) as BalancedEndpoints;
  const ports = (): number[] => {
    clock.now = performance.now();
    const found = Array.from({ length: 8 }, () => object.choose(plainExchange())!.base.port);
    return [...new Set(found)].sort((one, two) => one - two);
  };
  return { object, ports, logged: made.logged };
}

describe('after an update', () => {
  it('without probes, endpoints get requests that did not answer them', async () => {
    const [app, dead] = [await startApp(answering('one')), await deadPort()];
    const endpoints = endpointsAt(app.port, dead);
    const activeHealth = { protocol: 'tcp', interval: '100 ms', unhealthyThreshold: 1 };
    const before = built('no probes', { endpoints, activeHealth });
    await vi.waitUntil(() => before.ports().length === 1, { timeout: LONG });
    const after = built('no probes', { endpoints });
    expect(after.ports()).toEqual([app.port, dead].sort((one, two) => one - two));
  });

  it('without ejection, endpoints get requests that were ejected', () => {
    const endpoints = endpointsAt(1, 2);
    const before = built('no ejection', { endpoints, passiveHealth: { consecutiveFailures: 1 } });
    before.object.choose(plainExchange())!.refused('backend-timeout', true);
    expect(before.ports()).toHaveLength(1);
    const after = built('no ejection', { endpoints, passiveHealth: { enabled: false } });
    expect(after.ports()).toEqual([1, 2]);
  });

  it('with other addresses, units still count together', () => {
    built('addresses', { endpoints: endpointsAt(1, 2) });
    const passiveHealth = { consecutiveFailures: 1 };
    const [one, two] = [1, 2].map(() => built('addresses', { endpoints: endpointsAt(3, 4), passiveHealth }));
    one!.object.choose(plainExchange())!.refused('backend-timeout', true);
    expect(one!.ports()).toHaveLength(1);
    expect(two!.ports()).toEqual(one!.ports());
  });

  it('with a shorter interval, probes do not wait for the end of the longer one', () => {
    const health = new HealthTable(new SharedArrayBuffer(HealthTable.bytes(1))).take('a');
    expect([health.claimProbe(1000, 36_000), health.claimProbe(1001, 50), health.claimProbe(1002, 50)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
