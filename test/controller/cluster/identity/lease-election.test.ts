import { describe, expect, it } from 'vitest';
import type { ApiCaller } from '../../../../controller/cluster/api/api-client.ts';
import { type LeaderState, LeaseElection } from '../../../../controller/cluster/identity/lease-election.ts';
import { failure, MemoryApi } from '../../../support/cluster/memory-api.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/gatewarden/leases/controller';

function contender(name: string, api: Pick<ApiCaller, 'call'>, clock: ManualClock) {
  const states: LeaderState[] = [];
  const election = new LeaseElection({
    api,
    clock,
    namespace: 'gatewarden',
    name: 'controller',
    identity: { name, address: `${name}.test:9444` },
    changed: (state) => states.push(state),
  });
  return { election, states };
}

/** An API that one controller may lose. */
function breakable(api: MemoryApi): Pick<ApiCaller, 'call'> & { isCut: boolean } {
  return {
    isCut: false,
    async call(request) {
      if (this.isCut) throw failure(0, 'Unreachable');
      return await api.call(request);
    },
  };
}

describe('a controller alone', () => {
  it('acquires the Lease and renews it without reading it again', async () => {
    const [api, clock] = [new MemoryApi(), new ManualClock()];
    const { election, states } = contender('a', api, clock);
    election.start();
    await clock.pass(0);
    expect(election.isLeader).toBe(true);
    await clock.pass(60_000);
    expect(election.isLeader).toBe(true);
    expect(states).toEqual([{ isLeader: true, leader: { name: 'a', address: 'a.test:9444' } }]);
    expect(api.count('GET')).toBe(1);
    expect(api.count('PUT')).toBe(30);
    expect(api.find(PATH)['spec']).toMatchObject({ holderIdentity: 'a@a.test:9444', leaseDurationSeconds: 15 });
    await election.close();
    expect(election.isLeader).toBe(false);
    expect(api.find(PATH)['spec']).toMatchObject({ holderIdentity: '' });
    expect(clock.pending).toBe(0);
  });

  it('continues after another client changed or deleted the Lease', async () => {
    const [api, clock] = [new MemoryApi(), new ManualClock()];
    const { election, states } = contender('a', api, clock);
    election.start();
    await clock.pass(0);
    api.put(PATH, api.find(PATH));
    await clock.pass(3000);
    expect(election.isLeader).toBe(true);
    api.objects.delete(PATH);
    await clock.pass(3000);
    expect(election.isLeader).toBe(true);
    expect(states).toHaveLength(1);
    await election.close();
  });
});

describe('of two controllers', () => {
  it('one leads, the other knows its address and takes over at once when the Lease is released', async () => {
    const [api, clock] = [new MemoryApi(), new ManualClock()];
    const [a, b] = [contender('a', api, clock), contender('b', api, clock)];
    a.election.start();
    await clock.pass(0);
    b.election.start();
    await clock.pass(60_000);
    expect([a.election.isLeader, b.election.isLeader]).toEqual([true, false]);
    expect(b.election.leader).toEqual({ name: 'a', address: 'a.test:9444' });
    await a.election.close();
    await clock.pass(2600);
    expect(b.election.isLeader).toBe(true);
    expect(api.find(PATH)['spec']).toMatchObject({ leaseTransitions: 1 });
    await b.election.close();
  });

  it('two controllers never lead at once: a cut-off leader stops before the other starts', async () => {
    const [api, clock] = [new MemoryApi(), new ManualClock()];
    const wire = breakable(api);
    const [a, b] = [contender('a', wire, clock), contender('b', api, clock)];
    a.election.start();
    await clock.pass(0);
    b.election.start();
    await clock.pass(10_000);
    wire.isCut = true;
    const history: string[] = [];
    for (let second = 0; second < 30; second++) {
      await clock.pass(1000);
      history.push(`${a.election.isLeader ? 'a' : ''}${b.election.isLeader ? 'b' : ''}`);
    }
    expect(history).not.toContain('ab');
    expect(history.join('')).toMatch(/^a+b+$/);
    expect(history.indexOf('')).toBeGreaterThan(0);
    expect(a.states.at(-1)).toEqual({ isLeader: false, leader: null });
    wire.isCut = false;
    await clock.pass(5000);
    expect(a.election.leader?.name).toBe('b');
    expect(a.states.filter(({ isLeader }) => isLeader)).toHaveLength(1);
    await Promise.all([a.election.close(), b.election.close()]);
  });

  it('only one wins when both try to acquire it at once', async () => {
    const [api, clock] = [new MemoryApi(), new ManualClock()];
    const contenders = ['a', 'b', 'c'].map((name) => contender(name, api, clock));
    for (const { election } of contenders) election.start();
    await clock.pass(3000);
    expect(contenders.filter(({ election }) => election.isLeader)).toHaveLength(1);
    await Promise.all(contenders.map(({ election }) => election.close()));
  });
});

it('refuses times with which two could lead', () => {
  const make = () =>
    new LeaseElection({
      api: new MemoryApi(),
      namespace: 'a',
      name: 'b',
      identity: { name: 'a', address: 'a:1' },
      leaseDuration: 5000,
      changed: () => {},
    });
  expect(make).toThrow('retryPeriod < renewDeadline < leaseDuration');
});

it('hands the note of a leader to the next one, and writes another in its place', async () => {
  const [api, clock] = [new MemoryApi(), new ManualClock()];
  const read: string[] = [];
  const electionOf = (name: string, notes: (string | null)[]): LeaseElection =>
    new LeaseElection({
      ...{ api, clock, namespace: 'gatewarden', name: 'controller' },
      identity: { name, address: `${name}.test:9444` },
      changed: () => {},
      note: {
        annotation: 'example.test/note',
        write: () => notes.shift() ?? null,
        read: (text) => read.push(`${name} ${text}`),
      },
    });
  const annotations = (): unknown => api.find(PATH).metadata.annotations;
  const first = electionOf('a', ['early', 'late']);
  first.start();
  await clock.pass(5000);
  expect(annotations()).toEqual({ 'example.test/note': 'late' });
  expect(read).toEqual([]);
  await first.close();
  const second = electionOf('b', []);
  second.start();
  await clock.pass(20_000);
  expect(second.isLeader).toBe(true);
  expect(read).toEqual(['b late']);
  expect(annotations()).toEqual({});
  await second.close();
});
