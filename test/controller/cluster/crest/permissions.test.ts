import { describe, expect, it } from 'vitest';
import {
  ROUTE_ACTIONS,
  type RouteAction,
  type ShownPermissions,
} from '../../../../contract/shown/shown-permissions.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { compiledFront, type FrontSetting, type UserRights } from '../../../support/crest/compiled-front.ts';

const RIGHTS: UserRights = {
  operator: ['* * *'],
  viewer: ['get routes shop', 'list routes shop'],
  editor: ['* routes shop', '* routes bank'],
  owner: ['get routes shop/orders', 'update routes shop/orders'],
  creator: ['create routes shop'],
  nobody: [],
};

const SPEC = { handler: { type: 'StaticResponseHandler', config: { status: 200 } } };

const served = (setting: FrontSetting = {}) =>
  compiledFront(
    new CompiledCluster().route('shop/orders', SPEC).route('bank/pay', SPEC),
    RIGHTS,
    async () => [],
    setting,
  );

const allowedIn = (body: unknown): RouteAction[] =>
  ROUTE_ACTIONS.filter((action) => (body as ShownPermissions).routes[action].allowed);

describe('permissions of a caller of the cluster', () => {
  it.each<[string, string, readonly RouteAction[]]>([
    ['operator', '*', ROUTE_ACTIONS],
    ['operator', 'shop', ROUTE_ACTIONS],
    ['operator', 'shop.orders', ROUTE_ACTIONS],
    ['viewer', '*', []],
    ['viewer', 'shop', ['read', 'query', 'explain']],
    ['viewer', 'bank', []],
    ['viewer', 'shop.orders', ['read', 'query', 'explain']],
    ['editor', 'bank', ROUTE_ACTIONS],
    ['owner', 'shop', []],
    ['owner', 'shop.orders', ['read', 'update', 'validate', 'explain']],
    ['owner', 'shop.other', []],
    ['creator', 'shop', ['create']],
    ['nobody', 'shop', []],
  ])('of %s for %s are their rights', async (user, id, allowed) => {
    const { ask } = await served();
    const { status, body } = await ask(user, `GET /api/permissions/${id}`);
    expect([status, body['caller'], allowedIn(body)]).toEqual([200, user, allowed]);
  });

  it('name the right that is missing', async () => {
    const { ask } = await served();
    const reasonsFor = async (id: string) => {
      const { routes } = (await ask('viewer', `GET /api/permissions/${id}`)).body as unknown as ShownPermissions;
      return [routes.create.reason, routes.delete.reason];
    };
    expect(await reasonsFor('shop')).toEqual([
      "viewer may not create Routes in the namespace 'shop'",
      "viewer may not delete Routes in the namespace 'shop'",
    ]);
    expect(await reasonsFor('shop.orders')).toEqual([
      "viewer may not create Routes in the namespace 'shop'",
      "viewer may not delete the Route 'shop.orders'",
    ]);
    expect((await reasonsFor('*'))[0]).toBe('viewer may not create Routes in all namespaces');
  });

  it('tell only callers who could change Routes that a namespace is not watched', async () => {
    const { ask } = await served({ isFollowed: () => false });
    const editor = (await ask('editor', 'GET /api/permissions/shop')).body as unknown as ShownPermissions;
    const viewer = (await ask('viewer', 'GET /api/permissions/shop')).body as unknown as ShownPermissions;
    expect(editor.routes.update.reason).toBe("this gateway does not watch the namespace 'shop'");
    expect(allowedIn(editor)).toEqual(['read', 'query', 'explain', 'dryRun']);
    expect(JSON.stringify(viewer)).not.toContain('watch');
  });

  it('of a query are those of the namespaces that the caller may list', async () => {
    const { ask } = await served();
    const ids = async (user: string) => {
      const { status, body } = await ask(user, 'GET /api/permissions?_queryFilter=true');
      return status === 200 ? (body['results'] as { _id: string }[]).map(({ _id }) => _id) : status;
    };
    expect(await ids('operator')).toEqual(['bank', 'shop']);
    expect(await ids('viewer')).toEqual(['shop']);
    expect(await ids('nobody')).toBe(403);
  });

  it('need a token, and an id that can be a namespace or a Route', async () => {
    const { ask } = await served();
    expect((await ask('stranger', 'GET /api/permissions/shop')).status).toBe(401);
    expect((await ask('operator', 'GET /api/permissions/No_Name')).status).toBe(404);
    expect((await ask('operator', 'GET /api/permissions/shop.No_Name')).status).toBe(400);
    expect((await ask('operator', 'DELETE /api/permissions/shop')).status).toBe(501);
  });

  it('cost one review for each verb where the caller has all rights', async () => {
    const { ask, asked } = await served();
    await ask('operator', 'GET /api/permissions/shop.orders');
    expect(asked).toHaveLength(7);
  });
});
