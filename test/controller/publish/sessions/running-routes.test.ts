import { describe, expect, it } from 'vitest';
import type { Ack } from '../../../../contract/channel.ts';
import { routeKeyText } from '../../../../contract/snapshot.ts';
import type { CompiledRoute } from '../../../../controller/compile/snapshot.ts';
import type { PlaneIdentity } from '../../../../controller/publish/channel/plane-identity.ts';
import type { PlaneView, PreparedUpdate } from '../../../../controller/publish/sessions/plane-view.ts';
import { PlaneViews } from '../../../../controller/publish/sessions/plane-views.ts';
import { RunningRoutes } from '../../../../controller/publish/sessions/running-routes.ts';
import { publishedRoute, publishedState } from '../../../support/channel/published-routes.ts';
import { routeProblems } from '../../../support/cluster/judged-resources.ts';

const IDENTITY: PlaneIdentity = {
  ...{ id: 'p', name: 'p', group: 'default', namespace: 'shop', labels: {}, isSidecar: false, until: null },
};
const NOTHING = { revision: null, base: null, routes: [] };

function published(views: PlaneViews, ...routes: readonly CompiledRoute[]): PlaneView {
  views.publish(publishedState(routes));
  return views.join(IDENTITY)!;
}

function ack({ revision }: PreparedUpdate, over: Partial<Ack> = {}): Ack {
  return { type: 'ack', nonce: 1, revision, problems: [], newer: [], ...over };
}

/** Has a data plane take an update. @param failed a route that it cannot build and does not run */
function take(plane: RunningRoutes, update: PreparedUpdate, failed?: CompiledRoute): void {
  const problems = failed === undefined ? [] : [{ ...routeProblems('no', false), route: failed }];
  plane.taken(update, ack(update, { problems }));
}

function hashes(...routes: readonly CompiledRoute[]): Map<string, string> {
  return new Map(routes.map((route) => [routeKeyText(route), route.hash]));
}

const [a, b] = [publishedRoute('a'), publishedRoute('b')];
const [changedA, changedB] = [publishedRoute('a', 'two'), publishedRoute('b', 'two')];

describe('the routes that data planes run', () => {
  it('are one map for all data planes that run the same', () => {
    const views = new PlaneViews();
    const view = published(views, a, b);
    const planes = [new RunningRoutes(NOTHING, view), new RunningRoutes(NOTHING, view)];
    for (const plane of planes) take(plane, view.from(plane));
    const { version } = view;
    published(views, changedA, b);
    for (const plane of planes) take(plane, view.since(version, plane)!);
    expect(new Map(planes[0]!.running)).toEqual(hashes(changedA, b));
    expect(planes[1]!.running).toBe(planes[0]!.running);
  });

  it('are that map for a data plane that connects with all of them', () => {
    const view = published(new PlaneViews(), a, b);
    const routes = [a, b].map(({ router, id, hash }) => [router, id, hash] as const);
    const held = { revision: 'r', base: 'x', routes };
    expect(new RunningRoutes(held, view).running).toBe(view.running);
    expect(new Map(new RunningRoutes({ ...held, routes: routes.slice(1) }, view).running)).toEqual(hashes(b));
  });

  it('leave out a route that one data plane cannot build, and are shared again when it can', () => {
    const views = new PlaneViews();
    const view = published(views, a, b);
    const [whole, partial] = [new RunningRoutes(NOTHING, view), new RunningRoutes(NOTHING, view)];
    take(whole, view.from(whole));
    take(partial, view.from(partial), a);
    expect(new Map(partial.running)).toEqual(hashes(b));
    const first = view.version;
    published(views, a, changedB);
    for (const plane of [whole, partial]) take(plane, view.since(first, plane)!);
    expect(new Map(whole.running)).toEqual(hashes(a, changedB));
    expect(new Map(partial.running)).toEqual(hashes(changedB));
    const second = view.version;
    published(views, changedA, changedB);
    for (const plane of [whole, partial]) take(plane, view.since(second, plane)!);
    expect(new Map(whole.running)).toEqual(hashes(changedA, changedB));
    expect(partial.running).toBe(whole.running);
  });

  it('leave out a route that a data plane has in a newer version', () => {
    const view = published(new PlaneViews(), a, b);
    const plane = new RunningRoutes(NOTHING, view);
    const update = view.from(plane);
    plane.taken(update, ack(update, { newer: [a] }));
    expect(new Map(plane.running)).toEqual(hashes(b));
  });

  it('do not change in what was shown of a data plane before', () => {
    const views = new PlaneViews();
    const view = published(views, a, b);
    const plane = new RunningRoutes(NOTHING, view);
    take(plane, view.from(plane));
    const shown = plane.running;
    const { version } = view;
    published(views, b);
    take(plane, view.since(version, plane)!);
    expect(new Map(shown)).toEqual(hashes(a, b));
    expect(new Map(plane.running)).toEqual(hashes(b));
  });
});
