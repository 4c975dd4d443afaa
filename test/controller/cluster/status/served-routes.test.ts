import { describe, expect, it } from 'vitest';
import { readServedRoutes, servedRoutes } from '../../../../controller/cluster/status/served-routes.ts';
import type { ResourceVerdict } from '../../../../controller/compile/resources/resource-verdict.ts';
import { BASE_PROBLEMS, type PlaneFacts } from '../../../../controller/publish/plane-facts.ts';
import { plane, resource, routeKey, routeProblems, verdict } from '../../../support/cluster/judged-resources.ts';

const FIGURES = {
  ...{ requests: 9, active: 0, answered: 9, clientErrors: 0, serverErrors: 1, unanswered: 0 },
  ...{ rate: 0.5, p50: 1, p95: 2, p99: 3, longest: 4 },
};

const served = (one: ResourceVerdict, planes: readonly PlaneFacts[], figures = new Map<string, typeof FIGURES>()) =>
  servedRoutes([one], { of: () => ({ planes, withheld: [] }) }, figures);

const ready = plane('a', { orders: 'orders-1' });
const late = plane('b', { orders: 'orders-0' });

describe('Routes on data planes', () => {
  it('are counted where their version runs', () => {
    expect(served(verdict('orders'), [ready, late])).toEqual([
      { id: 'shop.orders', current: 1, of: 2, unbuilt: 0, figures: null },
    ]);
  });

  it.each([routeKey('orders'), BASE_PROBLEMS])('count data planes that could not build %j', (key) => {
    const unable = plane('c', {}, { problems: new Map([[key, routeProblems('no')]]) });
    expect(served(verdict('orders'), [ready, unable])).toMatchObject([{ current: 1, of: 2, unbuilt: 1 }]);
  });

  it('count the version of before where it keeps serving', () => {
    const remembered = {
      router: 'gateway._router',
      id: 'shop.orders',
      hash: 'orders-0',
      generation: 0,
      fallback: null,
    };
    expect(served(verdict('orders', { remembered }), [ready, late])).toMatchObject([{ current: 1, of: 2 }]);
  });

  it('run nowhere without a valid condition', () => {
    expect(served(verdict('orders', { route: null, serves: 'nothing' }), [ready])).toMatchObject([
      { current: 0, of: 1, figures: null },
    ]);
  });

  it('have the figures of their key', () => {
    const figures = new Map([[routeKey('orders'), FIGURES]]);
    expect(served(verdict('orders'), [ready], figures)).toMatchObject([{ figures: FIGURES }]);
    expect(served(verdict('refunds'), [ready], figures)).toMatchObject([{ figures: null }]);
  });

  it('leave out other resources', () => {
    expect(served(verdict('keys', { resource: resource('keys', { kind: 'SecretStore' }) }), [ready])).toEqual([]);
  });

  it('are the same after a leader sent them, and anything else is rejected', () => {
    const sent = served(verdict('orders'), [ready], new Map([[routeKey('orders'), FIGURES]]));
    expect(readServedRoutes(Buffer.from(JSON.stringify(sent)))).toEqual(sent);
    for (const wrong of ['{}', 'null', '[{"id":1}]', 'x']) expect(() => readServedRoutes(Buffer.from(wrong))).toThrow();
  });
});
