import { expect, it, onTestFinished } from 'vitest';
import { routeKeyText } from '../../../contract/snapshot.ts';
import { manageInstance } from '../../support/crest/managed-gateway.ts';

/** A valid route with a keystore that is not there. */
function unbuildable(path: string): Record<string, unknown> {
  const secretsProvider = { type: 'Base64EncodedSecretStore', config: { secrets: { password: 'c2VjcmV0' } } };
  const mappings = [{ secretId: 'x', aliases: ['x'] }];
  const store = { file: 'none.p12', storePasswordSecretId: 'password', secretsProvider, mappings };
  return {
    heap: [{ name: 'keys', type: 'KeyStoreSecretStore', config: store }],
    condition: `\${find(request.uri.path, '^/${path}')}`,
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'new' } },
  };
}

it('serves nothing of a new route that cannot be built, also while it is tried', async () => {
  const gateway = await manageInstance({
    'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
    'config/routes/.keep': '',
  });
  onTestFinished(() => gateway.close());
  expect((await gateway.send('PUT /api/routes/shop', unbuildable('shop'))).status).toBe(409);
  const key = routeKeyText({ router: 'gateway._router', id: 'shop' });
  const [tried, takenBack] = gateway.delivered.slice(-2);
  expect(tried).toMatchObject({ set: [{ id: 'shop' }], provisional: [key] });
  expect(takenBack).toMatchObject({ set: [], remove: [{ id: 'shop' }] });
  // A file that people write is not taken back, and rejects its requests.
  await gateway.change({ 'config/routes/file.json': unbuildable('file') });
  expect(gateway.delivered.at(-1)).not.toHaveProperty('provisional');
  expect((await gateway.get('/file')).status).toBe(500);
});
