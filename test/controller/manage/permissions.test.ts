import { describe, expect, it, onTestFinished } from 'vitest';
import { ROUTE_ACTIONS, type ShownPermissions } from '../../../contract/shown/shown-permissions.ts';
import { instancePermissions, WRITING } from '../../../controller/manage/permissions.ts';
import { manageInstance } from '../../support/crest/managed-gateway.ts';

const INSTANCE = {
  'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
};

async function managed(managesRoutes: boolean) {
  const gateway = await manageInstance(INSTANCE, managesRoutes);
  onTestFinished(() => gateway.close());
  return gateway;
}

describe('permissions in an instance', () => {
  it('allow every operation where routes are managed', async () => {
    const { status, body } = await (await managed(true)).send('GET /api/permissions/*');
    expect(status).toBe(200);
    expect(body).toMatchObject({ _id: '*', caller: null, namespace: null, route: null });
    const { routes } = body as unknown as ShownPermissions;
    expect(Object.entries(routes)).toEqual(ROUTE_ACTIONS.map((action) => [action, { allowed: true, reason: null }]));
  });

  it('are one resource of a query', async () => {
    const { body } = await (await managed(true)).send('GET /api/permissions?_queryFilter=true');
    expect((body['results'] as { _id: string }[]).map(({ _id }) => _id)).toEqual(['*']);
  });

  it('say for every operation what the mode PRODUCTION refuses, in the words of the refusal', async () => {
    const gateway = await managed(false);
    const { body } = await gateway.send('GET /api/permissions/*');
    const refusal = await gateway.send('GET /api/routes?_queryFilter=true');
    expect(refusal.status).toBe(403);
    for (const action of ROUTE_ACTIONS) {
      expect([action, (body as unknown as ShownPermissions).routes[action]]).toEqual([
        action,
        { allowed: false, reason: refusal.body['message'] },
      ]);
    }
  });

  it('cannot be changed', async () => {
    const gateway = await managed(true);
    for (const line of ['PUT /api/permissions/*', 'DELETE /api/permissions/*', 'POST /api/permissions?_action=create'])
      expect([line, (await gateway.send(line, line.startsWith('DELETE') ? undefined : {})).status]).toEqual([
        line,
        501,
      ]);
  });

  it('refuse only changes where the directory cannot be written', () => {
    const { routes } = instancePermissions({ all: null, writing: 'read-only' }).content as ShownPermissions;
    const refused = ROUTE_ACTIONS.filter((action) => !routes[action].allowed);
    expect(refused).toEqual(WRITING);
    expect(routes.update.reason).toBe('read-only');
  });
});
