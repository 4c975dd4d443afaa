import { hostname } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { manageInstance } from '../../support/crest/managed-gateway.ts';

it('shows the data plane of an instance with the fields of a cluster, in every mode', async () => {
  const gateway = await manageInstance(
    {
      'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
      'config/routes/shop.json': { handler: { type: 'StaticResponseHandler', config: { status: 200 } } },
    },
    false,
  );
  onTestFinished(() => gateway.close());
  const { body } = await gateway.send('GET /api/planes?_queryFilter=true');
  const { revision } = gateway.managed;
  expect(body['results']).toEqual([
    {
      ...{ _id: hostname(), _rev: revision, name: hostname(), namespace: null, group: null, labels: {} },
      ...{ isSidecar: false, controller: null, state: 'current', isCurrent: true, revision, ready: true },
      ...{ version: expect.any(String), connectedSince: null, snapshotAge: null, lag: null, clockAhead: null },
      ...{ units: 2, unitsServing: 1, memory: expect.any(Number), routes: 1, problems: [], problemCount: 0 },
      ...{ addresses: [], draining: false, unitRestarts: 0 },
      backends: [expect.objectContaining({ name: 'pool', route: 'shop', total: 2, ejected: 0, down: 1 })],
    },
  ]);
  expect((await gateway.send(`GET /api/planes/${hostname()}?_fields=units`)).body).toMatchObject({ units: 2 });
});
