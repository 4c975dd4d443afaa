import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { PlaneReport } from '../../../../controller/admin/status-report.ts';
import { planeItems, recentAnswer } from '../../../../controller/cluster/crest/cluster-planes.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { compiledFront } from '../../../support/crest/compiled-front.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

function report(name: string, over: Partial<PlaneReport> = {}): PlaneReport {
  return {
    ...{ plane: `edge/${name}`, name, namespace: 'edge', labels: { zone: 'a' }, isSidecar: false },
    ...{ group: 'default', controller: 'one', state: 'current', version: '1.0.0', age: 5000, revision: 'r2' },
    ...{ lag: null, routes: 3, ready: true, clockAhead: 4, connectedSince: '2026-11-17T12:00:00.000Z' },
    ...{ snapshotAge: 900, units: 2, unitsServing: 2, memory: 100_000, problems: [], problemCount: 0 },
    ...over,
  };
}

const shownIds = ({ status, body }: { status: number; body: JsonObject }): unknown =>
  status === 200 ? (body['results'] as { _id: string }[]).map(({ _id }) => _id) : status;

describe('data planes over Common REST', () => {
  const planes = ['c', 'a', 'b'].map((name) => report(name, { memory: name.charCodeAt(0) }));
  const rights = { ops: ['get /status'], dev: ['* * *', 'get /dump'] };
  const served = (all: () => Promise<readonly PlaneReport[]> = async () => planes) =>
    compiledFront(new CompiledCluster(), rights, all);

  it('are shown to callers who may get /status, and to nobody else', async () => {
    const { ask } = await served();
    expect((await ask('ops', 'GET /api/planes/edge.a')).body).toEqual({
      ...{ _id: 'edge.a', _rev: 'r2', name: 'a', namespace: 'edge', group: 'default', labels: { zone: 'a' } },
      ...{ isSidecar: false, controller: 'one', state: 'current', isCurrent: true, version: '1.0.0', revision: 'r2' },
      ...{ ready: true, connectedSince: '2026-11-17T12:00:00.000Z', snapshotAge: 900, lag: null, units: 2 },
      ...{ unitsServing: 2, memory: 97, routes: 3, clockAhead: 4, problems: [], problemCount: 0, backends: [] },
    });
    for (const line of ['GET /api/planes/edge.a', 'GET /api/planes/none', 'GET /api/planes?_queryFilter=true']) {
      const { status, body } = await ask('dev', line);
      expect([status, body['message']]).toEqual([
        403,
        'dev may not get the non-resource URL /status, which data planes need',
      ]);
    }
    expect((await ask('stranger', 'GET /api/planes?_queryFilter=true')).status).toBe(401);
    expect((await ask('ops', 'GET /api/planes/none')).status).toBe(404);
    expect((await ask('ops', 'DELETE /api/planes/edge.a')).status).toBe(501);
  });

  it('are filtered, sorted and paged like other resources', async () => {
    const { ask } = await served();
    expect(shownIds(await ask('ops', 'GET /api/planes?_queryFilter=true'))).toEqual(['edge.a', 'edge.b', 'edge.c']);
    const filter = encodeURIComponent('memory gt 97 and labels/zone eq "a"');
    const first = await ask('ops', `GET /api/planes?_queryFilter=${filter}&_sortKeys=-memory&_pageSize=1&_fields=name`);
    expect(first.body['results']).toEqual([{ _id: 'edge.c', _rev: 'r2', name: 'c' }]);
    const cookie = encodeURIComponent(String(first.body['pagedResultsCookie']));
    const path = `/api/planes?_queryFilter=${filter}&_sortKeys=-memory&_pageSize=1&_pagedResultsCookie=${cookie}`;
    const second = await ask('ops', `GET ${path}`);
    expect([shownIds(second), second.body['pagedResultsCookie']]).toEqual([['edge.b'], null]);
  });

  it('get 503 while the leader cannot be asked, and are asked for again at once', async () => {
    let isAway = true;
    const { ask } = await served(async () => {
      if (isAway) throw new Error('no controller is the leader');
      return planes;
    });
    const { status, body } = await ask('ops', 'GET /api/planes?_queryFilter=true');
    expect([status, body['message']]).toEqual([
      503,
      'the leader of the controllers, which knows all data planes, does not answer',
    ]);
    isAway = false;
    expect((await ask('ops', 'GET /api/planes?_queryFilter=true')).status).toBe(200);
  });
});

describe('ids of data planes', () => {
  it('tell Pods from data planes outside of the cluster', () => {
    const outside = report('edge.a', { namespace: null, group: 'default' });
    expect(planeItems([report('a'), outside]).map(({ id }) => id)).toEqual(['default:edge.a', 'edge.a']);
  });

  it('belong to the newer one of two Pods with a name', () => {
    const left = report('a', { state: 'left', age: 10, connectedSince: null });
    const newer = report('a', { state: 'behind', age: 20 });
    for (const both of [
      [left, newer],
      [newer, left],
    ])
      expect(planeItems(both).map(({ content }) => content['state'])).toEqual(['behind']);
    expect(planeItems([newer, report('a', { age: 10 })]).map(({ content }) => content['state'])).toEqual(['current']);
  });

  it('are the same from a leader of an older version, which tells less', () => {
    const old: PlaneReport = {
      ...{ plane: 'edge/a', group: 'default', controller: '', version: '', age: 1, revision: null },
      state: 'left',
      ...{ lag: null, routes: 0, ready: null, clockAhead: null, problems: [{ route: 'shop.orders', message: 'no' }] },
    };
    const [{ id, revision, content }] = planeItems([old]) as [ReturnType<typeof planeItems>[number]];
    expect([id, revision]).toEqual(['edge.a', null]);
    expect(content).toMatchObject({
      ...{ name: 'a', namespace: 'edge', labels: {}, controller: null, version: null, connectedSince: null },
      ...{ units: null, memory: null, snapshotAge: null, problemCount: 1 },
      problems: [{ router: null, route: 'shop.orders', message: 'no', keepsServing: false }],
    });
  });
});

it('asks the leader once in a second, however many callers want to know', async () => {
  const clock = new ManualClock();
  let asked = 0;
  const answer = recentAnswer(async () => ++asked, clock);
  expect([await answer(), await answer()]).toEqual([1, 1]);
  await clock.pass(999);
  expect(await answer()).toBe(1);
  await clock.pass(1);
  expect(await answer()).toBe(2);
});
