import { expect, it } from 'vitest';
import { EVERYBODY } from '../../../controller/publish/channel/group-grants.ts';
import { PlaneLedger } from '../../../controller/publish/plane-ledger.ts';
import { RoutePlanes } from '../../../controller/publish/route-planes.ts';
import { cutOffNote, readCutOffNote } from '../../../controller/publish/sessions/cut-off-planes.ts';
import { plane, routeKey } from '../../support/cluster/judged-resources.ts';
import { ManualClock } from '../../support/gateways/manual-clock.ts';

function setting() {
  const clock = new ManualClock();
  const changes: (readonly string[] | null)[] = [];
  const ledger = new PlaneLedger({ clock, changed: (routes) => changes.push(routes) });
  const names = (): string[] => ledger.counted.map(({ identity, controller }) => `${identity.name}@${controller}`);
  return { clock, changes, ledger, names };
}

it('reports all routes when data planes connect, and changed routes when they run another version', () => {
  const { ledger, changes, names } = setting();
  ledger.heard(plane('p1'), null);
  ledger.heard(plane('p1', { orders: 'h2' }), [routeKey('orders')]);
  expect(changes).toEqual([null, [routeKey('orders')]]);
  expect(names()).toEqual(['p1@a']);
});

it('keeps a data plane for a moment after it left, so that a reconnect does not flap', async () => {
  const { clock, ledger, changes, names } = setting();
  ledger.heard(plane('p1'), null);
  ledger.left('p1', 'a');
  await clock.pass(5000);
  expect(ledger.isConnected('p1')).toBe(false);
  expect(names()).toEqual(['p1@a']);
  ledger.heard(plane('p1', {}, { controller: 'b', connectedSince: 6000 }), null);
  await clock.pass(60_000);
  expect(names()).toEqual(['p1@b']);
  ledger.left('p1', 'b');
  await clock.pass(11_000);
  expect(names()).toEqual([]);
  expect(changes.at(-1)).toBe(null);
});

it('uses the newest stream while an older one has not ended', async () => {
  const { clock, ledger, names } = setting();
  ledger.heard(plane('p1', {}, { controller: 'a', connectedSince: 1000 }), null);
  ledger.heard(plane('p1', {}, { controller: 'b', connectedSince: 2000 }), null);
  ledger.heard(plane('p1', { orders: 'stale' }, { controller: 'a', connectedSince: 1000 }), null);
  expect(names()).toEqual(['p1@b']);
  ledger.left('p1', 'a');
  await clock.pass(60_000);
  expect(names()).toEqual(['p1@b']);
});

it('drops the data planes of a silent controller, unless another one has them', async () => {
  const { clock, ledger, names } = setting();
  ledger.heard(plane('p1', {}, { controller: 'b' }), null);
  ledger.heard(plane('p2', {}, { controller: 'b' }), null);
  ledger.heard(plane('p2', {}, { controller: 'c', connectedSince: 500 }), null);
  ledger.controllerLeft('b');
  await clock.pass(11_000);
  expect(names()).toEqual(['p2@c']);
});

it('counts a new data plane once it runs a revision, or after a while', async () => {
  const { clock, ledger, names } = setting();
  const fresh = { revision: null };
  ledger.heard(plane('p1', {}, fresh), null);
  ledger.heard(plane('p2', {}, fresh), null);
  expect(names()).toEqual([]);
  ledger.heard(plane('p1', { orders: 'h1' }), [routeKey('orders')]);
  expect(names()).toEqual(['p1@a']);
  await clock.pass(16_000);
  expect(names()).toEqual(['p1@a', 'p2@a']);
  ledger.close();
  expect(clock.pending).toBe(0);
});

it('counts a Ready plane that no controller has told of, until its Pod is not Ready any more', () => {
  const { ledger, changes, names } = setting();
  const { identity } = plane('p1');
  ledger.expect([identity]);
  expect(ledger.counted).toMatchObject([{ identity, revision: null, isAwaited: true }]);
  ledger.expect([{ ...identity }]);
  expect(changes).toEqual([null]);
  ledger.expect([{ ...identity, labels: { zone: 'b' } }]);
  expect(ledger.counted.map((one) => one.identity.labels)).toEqual([{ zone: 'b' }]);
  ledger.expect([]);
  expect(names()).toEqual([]);
  expect(changes).toEqual([null, null, null]);
});

it('counts a Ready plane once, whichever controller it connects to, also while it has told nothing of what it runs', () => {
  const { ledger, names } = setting();
  ledger.expect([plane('p1').identity, plane('p2').identity]);
  ledger.heard(plane('p1', {}, { revision: null, controller: 'b' }), null);
  expect(names()).toEqual(['p1@b', 'p2@']);
  expect(ledger.planes.map(({ isAwaited }) => isAwaited)).toEqual([undefined, true]);
});

it('does not name a plane that is only awaited to the next leader', () => {
  const { ledger } = setting();
  ledger.expect([plane('p1').identity]);
  expect(cutOffNote(ledger.planes)).toBe(null);
});

it('finds the planes that a route selects', () => {
  const { ledger } = setting();
  const planes = new RoutePlanes(ledger);
  const identity = { id: 'p2', name: 'p2', group: 'blue', namespace: 'edge', isSidecar: false, until: null };
  ledger.heard(plane('p1'), null);
  ledger.heard(plane('p2', {}, { identity: { ...identity, labels: { zone: 'b' } } }), null);
  const names = (matchLabels: Record<string, string> | null): string[] => {
    const dataPlanes = matchLabels === null ? null : { matchLabels, matchExpressions: [] };
    return planes.of({ namespace: 'shop', dataPlanes }).planes.map((one) => one.identity.name);
  };
  expect(names(null)).toEqual(['p1']);
  expect(names({ zone: 'b' })).toEqual(['p2']);
  expect(names({ zone: 'c' })).toEqual([]);
  expect(planes.regroup('blue', EVERYBODY)).toBe(true);
  expect(planes.regroup('blue', EVERYBODY)).toBe(false);
  expect(names(null)).toEqual(['p2']);
  ledger.heard(plane('p2', {}, { identity: { ...identity, labels: { zone: 'c' } } }), []);
  planes.forget();
  expect(names({ zone: 'c' })).toEqual(['p2']);
  const grants = {
    mark: 'bank only',
    serves: (group: string, namespace: string | null) => namespace === 'bank' || group !== 'blue',
  };
  planes.regroup('blue', grants);
  expect(planes.of({ namespace: 'shop', dataPlanes: null })).toEqual({ planes: [], withheld: ['blue'] });
  expect(planes.of({ namespace: 'bank', dataPlanes: null })).toMatchObject({ planes: [{}], withheld: [] });
});

it('counts a data plane without a stream until its Pod is deleted or not ready', async () => {
  const clock = new ManualClock();
  const changes: (readonly string[] | null)[] = [];
  let answer: boolean | null | Error = true;
  const ledger = new PlaneLedger({
    clock,
    changed: (routes) => changes.push(routes),
    async serves() {
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  ledger.heard(plane('p1', { orders: 'h1' }), null);
  ledger.left('p1', 'a');
  await clock.pass(60_000);
  expect(ledger.counted).toMatchObject([{ identity: { name: 'p1' }, cutOffSince: clock.wall() - 50_000 }]);
  expect(ledger.isConnected('p1')).toBe(false);
  expect(changes).toEqual([null, null]);
  for (const unknown of [null, new Error('away')]) {
    answer = unknown;
    await clock.pass(60_000);
    expect(ledger.counted).toHaveLength(1);
  }
  ledger.heard(plane('p1', { orders: 'h2' }, { connectedSince: 2000 }), null);
  expect(ledger.counted[0]?.cutOffSince).toBeUndefined();
  answer = false;
  await clock.pass(60_000);
  expect(ledger.counted).toHaveLength(1);
  ledger.left('p1', 'a');
  await clock.pass(11_000);
  expect(ledger.counted).toEqual([]);
  expect(clock.pending).toBe(0);
});

it('counts a data plane that reconnects while its Pod is looked up', async () => {
  const clock = new ManualClock();
  const asked = Promise.withResolvers<boolean>();
  const ledger = new PlaneLedger({ clock, changed: () => {}, serves: () => asked.promise });
  ledger.heard(plane('p1'), null);
  ledger.left('p1', 'a');
  await clock.pass(11_000);
  ledger.heard(plane('p1', {}, { connectedSince: 2000 }), null);
  asked.resolve(false);
  await clock.pass(60_000);
  expect(ledger.counted).toHaveLength(1);
});

it('counts data planes that an earlier leader recorded as cut off, while they may serve requests', async () => {
  const clock = new ManualClock();
  const before = new PlaneLedger({ clock, changed: () => {}, serves: async () => true });
  for (const name of ['p1', 'p2', 'p3']) before.heard(plane(name, { orders: 'h1' }), null);
  expect(cutOffNote(before.planes)).toBeNull();
  for (const name of ['p2', 'p3']) before.left(name, 'a');
  await clock.pass(20_000);
  const note = cutOffNote(before.planes)!;
  const ledger = new PlaneLedger({ clock, changed: () => {}, serves: async ({ identity }) => identity.name === 'p2' });
  ledger.heard(plane('p1'), null);
  ledger.remember(readCutOffNote(note));
  await clock.pass(1000);
  expect(ledger.counted.map(({ identity, running }) => [identity.name, running.size])).toEqual([
    ['p1', 0],
    ['p2', 0],
  ]);
  expect(cutOffNote(ledger.planes)).toBe(JSON.stringify(JSON.parse(note).slice(0, 1)));
  for (const broken of ['', '{}', '[1]', 'x']) expect(readCutOffNote(broken)).toEqual([]);
  const many = Array.from({ length: 10_000 }, (_, at) => plane(`p${at}`, {}, { cutOffSince: 1 }));
  expect(cutOffNote(many)!.length).toBeLessThan(33_000);
});
