import { expect, it } from 'vitest';
import { HeldSnapshot } from '../../../dataplane/link/held-snapshot.ts';
import { Observations } from '../../../dataplane/metrics/observations.ts';

it('sums observations until they are collected', () => {
  const observations = new Observations();
  const labels = { fully_qualified_name: 'gateway.a' };
  observations.add('m', labels, 1);
  observations.add('m', { ...labels }, 2);
  observations.addAll([{ metric: 'm', labels, count: 3, seconds: 4 }]);
  expect(observations.take()).toEqual([{ metric: 'm', labels, count: 5, seconds: 7 }]);
  expect(observations.take()).toEqual([]);
});

it('drops the objects of removed routes', () => {
  const observations = new Observations();
  for (const name of ['gateway._router.a.x', 'gateway._router.ab.x', 'gateway.x']) {
    observations.add('m', { fully_qualified_name: name }, 1);
  }
  observations.forget(['gateway._router.a']);
  expect(observations.all.map(({ labels }) => labels['fully_qualified_name'])).toEqual([
    'gateway._router.ab.x',
    'gateway.x',
  ]);
});

it('detects removed and renamed routes', () => {
  const held = new HeldSnapshot();
  const entry = (id: string, name: string) => ({ router: 'r', id, name, document: {}, hash: '', slot: 0 });
  const update = (set: ReturnType<typeof entry>[], remove: string[] = []) =>
    held.take({ revision: '', base: null, set, remove: remove.map((id) => ({ router: 'r', id })), defaultSlots: {} });
  expect(update([entry('1', 'a'), entry('2', 'b'), entry('3', 'c')])).toEqual([]);
  expect(update([entry('2', 'renamed'), entry('3', 'c')], ['1'])).toEqual(['r.a', 'r.b']);
  expect(held.whole().set.map(({ name }) => name)).toEqual(['renamed', 'c']);
});
