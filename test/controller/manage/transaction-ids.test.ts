import { expect, it, onTestFinished } from 'vitest';
import { transactionIdOf } from '../../../contract/crest/transaction-id.ts';
import { type ManagedGateway, manageInstance } from '../../support/crest/managed-gateway.ts';

const shop = { handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'open' } } };

async function managed(system: Readonly<Record<string, string>>): Promise<ManagedGateway> {
  const gateway = await manageInstance(
    {
      'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
      'config/routes/.keep': '',
    },
    true,
    { system },
  );
  onTestFinished(() => gateway.close());
  return gateway;
}

const sent = { 'x-forgerock-transactionid': 'caller-1/3' };
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

it('logs each change of a route with the transaction id of a trusted caller', async () => {
  const gateway = await managed({ 'org.forgerock.http.TrustTransactionHeader': 'true' });
  await gateway.send('PUT /api/routes/shop', shop, sent);
  await gateway.send('PUT /api/routes/shop', { handler: 'nowhere' }, sent);
  await gateway.send('GET /api/routes/shop', undefined, sent);
  await gateway.send('DELETE /api/routes/shop');
  expect(gateway.logged).toMatchObject([
    {
      ...{ msg: 'route changed over HTTP', operation: 'create', router: 'gateway._router', route: 'shop' },
      transactionId: 'caller-1/3',
    },
    { operation: 'delete', transactionId: expect.stringMatching(UUID) },
  ]);
  expect(gateway.logged).toHaveLength(2);
});

it('makes a new transaction id for callers that are not trusted', async () => {
  const gateway = await managed({});
  await gateway.send('PUT /api/routes/shop', shop, sent);
  expect(gateway.logged).toMatchObject([{ transactionId: expect.stringMatching(UUID) }]);
});

it.each(['', ' ', 'a b', 'a\r\nb', 'a/x', '/1', 'x'.repeat(101), '"'])('does not use the malformed id %j', (given) => {
  expect(transactionIdOf(() => given, true)).toMatch(UUID);
});
