import { expect, it, onTestFinished } from 'vitest';
import { ownCluster, theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingHandler, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { CREST_WORDS, type CrestReply, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();

it('the token of a caller is in no log, error, metric, status or object', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const controller = await gateway.startController([...CREST_WORDS, '--log-level', 'debug']);
  const client = await crestClient(gateway, controller);
  onTestFinished(() => client.close());
  const token = await routesUser(cluster, 'editor', [shop]);
  const signature = token.split('.').at(-1)!;
  const answers: CrestReply[] = [];
  const path = `/api/routes/${shop}.orders`;
  const body = { handler: sayingHandler('one') };
  const asked = [
    ['PUT', path, { body }],
    ['PUT', path, { body, headers: { 'if-match': '"1"' } }],
    ['PUT', path, { body: { handler: 7 } }],
    ['PUT', path, { body: '{"handler":' }],
    ['PUT', '/api/routes/default.orders', { body }],
    ['PATCH', path, { body: [{ operation: 'add', field: 'name', value: 'x' }] }],
    ['PATCH', path, { body: [{ operation: 'wrong' }] }],
    ['GET', path, {}],
    ['GET', '/api/routes?_queryFilter=true', {}],
    ['GET', '/api/routes?_queryFilter=wrong', {}],
    ['GET', `/api/routes?_queryFilter=true&access_token=${token}`, {}],
    ['GET', `/api/nothing?access_token=${token}`, {}],
    ['GET', '/api/routes/kube-system.orders', {}],
    ['DELETE', path, {}],
    ['DELETE', path, {}],
  ] as const;
  for (const [method, where, sending] of asked) answers.push(await client.ask(token, method, where, sending));
  answers.push(await client.ask(`${token}x`, 'GET', path));
  answers.push(await client.ask(`${token} ${token}`, 'GET', path));
  expect(answers.map(({ status }) => status)).toEqual([
    ...[201, 412, 200, 400, 403, 200, 400, 200, 200, 400, 200, 404, 403, 200, 404, 401, 401],
  ]);
  const { process } = controller;
  const metrics = await said(controller.adminPort, '/metrics');
  const status = await said(controller.adminPort, '/status');
  const dump = await said(controller.adminPort, '/dump');
  const events = await cluster.run(['get', 'events', '-A', '-o', 'yaml']);
  const texts = { answers: JSON.stringify(answers), logs: JSON.stringify(process.said), stdout: process.stdout };
  for (const [where, text] of Object.entries({ ...texts, metrics, status, dump, events })) {
    expect(text.includes(signature), where).toBe(false);
  }
});

it('a caller who asks too often gets 429, and another one does not', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const controller = await gateway.startController([...CREST_WORDS, '--api-rate', '2']);
  const client = await crestClient(gateway, controller);
  onTestFinished(() => client.close());
  const [busy, calm] = [await routesUser(cluster, 'busy', [shop]), await routesUser(cluster, 'calm', [shop])];
  const answers: CrestReply[] = [];
  while (answers.at(-1)?.status !== 429) {
    answers.push(...(await Promise.all(Array.from({ length: 20 }, () => client.ask(busy, 'GET', '/api/info')))));
  }
  expect(answers.at(-1)).toMatchObject({ headers: { 'retry-after': '1' }, body: { code: 429 } });
  expect((await client.ask(calm, 'GET', '/api/info')).status).toBe(200);
});

it('a body that is too long gets 413, and none is read before the token is known', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const controller = await gateway.startController(CREST_WORDS);
  const client = await crestClient(gateway, controller);
  onTestFinished(() => client.close());
  const token = await routesUser(cluster, 'editor', [shop]);
  const body = { handler: sayingHandler('x'.repeat(1_100_000)) };
  const path = `/api/routes/${shop}.long`;
  expect(await client.ask(token, 'PUT', path, { body })).toMatchObject({ status: 413, body: { code: 413 } });
  expect((await client.ask('wrong', 'PUT', path, { body })).status).toBe(401);
  const headers = { 'x-long': 'x'.repeat(40_000) };
  expect((await client.ask(token, 'GET', path, { headers })).status).toBe(431);
});

it('without the API server, writes and new callers get 503, and are served again when it is back', async () => {
  const own = await ownCluster();
  const gateway = await testedGateway({ access: own, namespaces: ['default'] });
  await gateway.apply(sayingRoute('default', 'orders', 'hello'));
  const controller = await gateway.startController(CREST_WORDS);
  const client = await crestClient(gateway, controller);
  onTestFinished(() => client.close());
  const token = await routesUser(own, 'editor', ['default']);
  const late = await routesUser(own, 'late', ['default']);
  const path = '/api/routes/default.orders';
  const body = { handler: sayingHandler('two') };
  expect((await client.ask(token, 'GET', path)).status).toBe(200);
  await own.apiServer.stopApiServer();
  const away = { status: 503, headers: { 'retry-after': '1' }, body: { code: 503, reason: 'Service Unavailable' } };
  expect(await client.ask(token, 'PUT', path, { body })).toMatchObject(away);
  expect(await client.ask(late, 'GET', path)).toMatchObject(away);
  await own.apiServer.startApiServer();
  await expect.poll(async () => (await client.ask(token, 'PUT', path, { body })).status).toBe(200);
  await expect.poll(async () => (await client.ask(late, 'GET', path)).body).toMatchObject(body);
});
