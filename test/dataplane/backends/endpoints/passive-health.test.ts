import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { EndpointMeter } from '../../../../dataplane/backends/endpoints/endpoint-meter.ts';
import { tenths } from '../../../../dataplane/backends/endpoints/health-record.ts';
import { HealthTable } from '../../../../dataplane/backends/endpoints/health-table.ts';
import {
  type JudgedEndpoint,
  PassiveHealth,
  type PassiveHealthRules,
} from '../../../../dataplane/backends/endpoints/passive-health.ts';
import { UnitLives } from '../../../../dataplane/heap/unit-lives.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';

const RULES: PassiveHealthRules = {
  consecutiveFailures: 3,
  failureRate: null,
  failureStatuses: new Set([503]),
  ejectionTime: 10_000,
  maxEjectionTime: 60_000,
  maxEjected: 50,
};

/** One unit's view of endpoints in shared memory. */
function unit(memory: SharedArrayBuffer, keys: readonly string[], rules: Partial<PassiveHealthRules> = {}) {
  const table = new HealthTable(memory);
  const endpoints = keys.map((key): JudgedEndpoint => ({ key, health: table.take(key) }));
  const { parts, counted } = objectParts({});
  const logged: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  const judge = new PassiveHealth({ ...RULES, ...rules }, table, new EndpointMeter(parts), log, () => endpoints);
  const isOut = (): boolean[] => endpoints.map(({ health }) => health.until !== 0);
  return { table, endpoints, judge, isOut, counted, logged };
}

const memoryFor = (endpoints: number): SharedArrayBuffer => new SharedArrayBuffer(HealthTable.bytes(endpoints));

function fail({ judge, endpoints }: ReturnType<typeof unit>, index: number, times: number): void {
  for (let i = 0; i < times; i++) judge.refused(endpoints[index]!, 'backend-timeout');
}

describe('failures in a row', () => {
  it('eject an endpoint, for all units', () => {
    const memory = memoryFor(4);
    const one = unit(memory, ['a', 'b', 'c', 'd']);
    const two = unit(memory, ['d', 'c', 'b', 'a']);
    const { version } = two.table;
    fail(one, 1, 2);
    expect(two.isOut()).toEqual([false, false, false, false]);
    fail(two, 2, 1);
    expect(one.isOut()).toEqual([false, true, false, false]);
    expect(two.table.version).not.toBe(version);
    expect(two.counted).toEqual(['gw_backends_ejections_total']);
    const msg = 'endpoint ejected; it gets no requests for a while';
    expect(two.logged).toMatchObject([{ msg, endpoint: 'b', reason: 'backend-timeout', seconds: 10 }]);
    expect(one.logged).toEqual([]);
  });

  it('begin anew with every answer', () => {
    const one = unit(memoryFor(2), ['a', 'b']);
    for (let i = 0; i < 5; i++) {
      fail(one, 0, 2);
      one.judge.answered(one.endpoints[0]!, 500, true);
    }
    expect(one.isOut()).toEqual([false, false]);
    fail(one, 0, 3);
    expect(one.isOut()).toEqual([true, false]);
  });

  it('are also statuses that count as failures', () => {
    const one = unit(memoryFor(2), ['a', 'b']);
    for (let i = 0; i < 3; i++) one.judge.answered(one.endpoints[0]!, 503, true);
    expect(one.isOut()).toEqual([true, false]);
    expect(one.logged).toMatchObject([{ reason: 'status 503' }]);
  });

  it.each([
    'backend-queue-full',
    'backend-egress',
    'body-timeout',
    'backend-proxy',
    'backend-proxy-credentials',
  ] as const)('are not refusals like %s', (refusal) => {
    const one = unit(memoryFor(2), ['a', 'b']);
    for (let i = 0; i < 10; i++) one.judge.refused(one.endpoints[0]!, refusal);
    expect(one.isOut()).toEqual([false, false]);
  });
});

describe('answers that break off', () => {
  it('eject an endpoint, although the head of each came', () => {
    const one = unit(memoryFor(2), ['a', 'b']);
    for (let i = 0; i < 3; i++) {
      one.judge.answered(one.endpoints[0]!, 200, false);
      one.judge.broke(one.endpoints[0]!, 200, 'backend-cut');
    }
    expect(one.isOut()).toEqual([true, false]);
    expect(one.logged).toMatchObject([{ reason: 'backend-cut' }]);
  });

  it('are forgotten with an answer that comes whole', () => {
    const one = unit(memoryFor(2), ['a', 'b']);
    for (let i = 0; i < 5; i++) {
      for (let broken = 0; broken < 2; broken++) {
        one.judge.answered(one.endpoints[0]!, 200, false);
        one.judge.broke(one.endpoints[0]!, 200, 'backend-timeout');
      }
      one.judge.answered(one.endpoints[0]!, 200, false);
      one.judge.ended(one.endpoints[0]!, 200);
    }
    expect(one.isOut()).toEqual([false, false]);
  });

  it('are not forgotten with an answer that is a failure itself, and count once', () => {
    const one = unit(memoryFor(2), ['a', 'b']);
    one.judge.answered(one.endpoints[0]!, 200, false);
    one.judge.broke(one.endpoints[0]!, 200, 'backend-cut');
    one.judge.answered(one.endpoints[0]!, 503, false);
    one.judge.broke(one.endpoints[0]!, 503, 'backend-cut');
    expect(one.isOut()).toEqual([false, false]);
    one.judge.answered(one.endpoints[0]!, 503, false);
    one.judge.ended(one.endpoints[0]!, 503);
    expect(one.isOut()).toEqual([true, false]);
  });

  it('do not delay that the heads of other answers are successes', () => {
    const one = unit(memoryFor(2), ['a', 'b']);
    for (let i = 0; i < 5; i++) {
      fail(one, 0, 2);
      one.judge.answered(one.endpoints[0]!, 200, false);
    }
    expect(one.isOut()).toEqual([false, false]);
  });
});

describe('the failure rate', () => {
  const failureRate = { percent: 50, requests: 10, window: 10_000 };

  it('ejects an endpoint that fails every other time', () => {
    const one = unit(memoryFor(2), ['a', 'b'], { failureRate });
    for (let i = 0; i < 4; i++) {
      one.judge.answered(one.endpoints[0]!, 200, true);
      fail(one, 0, 1);
    }
    expect(one.isOut()).toEqual([false, false]);
    one.judge.answered(one.endpoints[0]!, 200, true);
    fail(one, 0, 1);
    expect(one.isOut()).toEqual([true, false]);
  });

  it('counts anew after its window', () => {
    const { health } = unit(memoryFor(1), ['a']).endpoints[0]!;
    const now = tenths();
    for (let i = 0; i < 5; i++) health.count(true, 100, now);
    expect(health.count(false, 100, now + 99)).toEqual({ requests: 6, failures: 5 });
    expect(health.count(true, 100, now + 100)).toEqual({ requests: 1, failures: 1 });
  });
});

describe('an ejection', () => {
  it('is never of more endpoints than the share allows', () => {
    const one = unit(memoryFor(5), ['a', 'b', 'c', 'd', 'e']);
    for (let i = 0; i < 5; i++) fail(one, i, 10);
    expect(one.isOut()).toEqual([true, true, false, false, false]);
  });

  it('is never of the only endpoint', () => {
    const one = unit(memoryFor(1), ['a']);
    fail(one, 0, 10);
    expect(one.isOut()).toEqual([false]);
  });

  it('doubles while the endpoint fails again soon after its return, up to the longest', () => {
    const { health } = unit(memoryFor(1), ['a']).endpoints[0]!;
    const lengths: number[] = [];
    let now = tenths();
    for (let i = 0; i < 5; i++) {
      lengths.push(health.eject(now, 100, 600));
      expect(health.endEjection(now + lengths.at(-1)! - 1, 2)).toBe(false);
      now += lengths.at(-1)!;
      expect(health.endEjection(now, 2)).toBe(true);
      now += 10;
    }
    expect(lengths).toEqual([100, 200, 400, 600, 600]);
    now += 10_000;
    expect(health.eject(now, 100, 600)).toBe(100);
  });

  it('is followed by the next one after a single failure, unless an answer comes first', () => {
    const one = unit(memoryFor(2), ['a', 'b'], { ejectionTime: 0 });
    fail(one, 0, 3);
    one.judge.endEjections();
    expect(one.isOut()).toEqual([false, false]);
    expect(one.logged.at(-1)).toMatchObject({ msg: 'endpoint gets requests again', endpoint: 'a' });
    fail(one, 0, 1);
    expect(one.isOut()).toEqual([true, false]);
    one.judge.endEjections();
    one.judge.answered(one.endpoints[0]!, 200, true);
    fail(one, 0, 2);
    expect(one.isOut()).toEqual([false, false]);
  });
});

it('withdraws an ejection without a trace', () => {
  const { health } = unit(memoryFor(1), ['a']).endpoints[0]!;
  const now = tenths();
  health.eject(now, 100, 600);
  health.endEjection(now + 100, 0);
  expect(health.eject(now + 101, 100, 600)).toBe(200);
  health.withdraw();
  expect([health.until, health.eject(now + 102, 100, 600)]).toEqual([0, 200]);
});

describe('records', () => {
  it('of a unit that died are used again', () => {
    const memory = memoryFor(2);
    const lives = new UnitLives(new SharedArrayBuffer(UnitLives.memory.bytes));
    const dying = new HealthTable(memory, 1, lives);
    dying.take('a');
    const b = dying.take('b');
    const living = new HealthTable(memory, 0, lives);
    living.take('b');
    lives.ended(1);
    const c = living.take('c');
    expect([c.failed(), living.take('c').failed(), b.failed(), living.take('b').failed()]).toEqual([1, 2, 1, 2]);
  });

  it('of a unit that died go to the next one of its number only if that uses them', () => {
    const memory = memoryFor(2);
    const lives = new UnitLives(new SharedArrayBuffer(UnitLives.memory.bytes));
    const dying = new HealthTable(memory, 1, lives);
    dying.take('a').failed();
    dying.take('b').failed();
    lives.ended(1);
    const next = new HealthTable(memory, 1, lives);
    expect(next.take('b').failed()).toBe(2);
    const c = next.take('c');
    expect([c.failed(), new HealthTable(memory, 0, lives).take('c').failed()]).toEqual([1, 2]);
  });

  it('are of one endpoint while several units take and release them', async () => {
    const memory = memoryFor(4);
    const problems = await Promise.all(
      [0, 1, 2].map(async (unit) => {
        const worker = new Worker(new URL('../../../support/backends/record-taker.ts', import.meta.url), {
          workerData: { memory, unit, times: 5000 },
        });
        const [problem] = await once(worker, 'message');
        await worker.terminate();
        return problem as string | null;
      }),
    );
    expect(problems).toEqual([null, null, null]);
  });

  it('of endpoints that have gone are used again', () => {
    const table = new HealthTable(memoryFor(2));
    const [a, b] = [table.take('a'), table.take('b')];
    a.failed();
    a.release();
    const c = table.take('c');
    expect(c.failed()).toBe(1);
    expect(table.take('c').failed()).toBe(2);
    expect(b.failed()).toBe(1);
  });

  it('beyond the memory are of one unit', () => {
    const table = new HealthTable(memoryFor(1));
    table.take('a');
    const own = table.take('b');
    expect([own.failed(), own.failed(), table.take('b').failed()]).toEqual([1, 2, 1]);
  });
});

describe('probes', () => {
  it('are taken by one unit in an interval', () => {
    const memory = memoryFor(1);
    const units = [1, 2, 3].map(() => new HealthTable(memory).take('a'));
    const now = tenths();
    const takenAt = (time: number): number => units.filter((health) => health.claimProbe(time, 50)).length;
    expect([takenAt(now), takenAt(now + 49), takenAt(now + 50), takenAt(now + 50)]).toEqual([1, 0, 1, 0]);
  });

  it('change the state of an endpoint at their thresholds', () => {
    const health = new HealthTable(memoryFor(1)).take('a');
    const results = [false, false, true, false, false, false, true, false, true, true, false];
    const states = results.map((isSound) => {
      const isChanged = health.probed(isSound, 2, 3);
      return `${isChanged ? 'becomes ' : ''}${health.isDown ? 'down' : 'up'}`;
    });
    expect(states).toEqual(['up', 'up', 'up', 'up', 'up', 'becomes down', 'down', 'down', 'down', 'becomes up', 'up']);
  });
});
