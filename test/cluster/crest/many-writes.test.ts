import { expect, it, onTestFinished } from 'vitest';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { CREST_WORDS, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
/** `npm run bench:crest` writes 1,000. */
const ROUTES = 60;
const WRITERS = 6;

it('data planes follow many writes of several users under load, and lose no request meanwhile', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  await gateway.apply(sayingRoute(shop, 'steady', 'steady'));
  const controllers = [
    await gateway.startController([...CREST_WORDS, '--api-rate', '10000']),
    await gateway.startController([...CREST_WORDS, '--api-rate', '10000']),
  ];
  const planes = [await gateway.startPlane(), await gateway.startPlane()];
  const clients = await Promise.all(controllers.map((controller) => crestClient(gateway, controller)));
  onTestFinished(async () => void (await Promise.all(clients.map((client) => client.close()))));
  const tokens = [await routesUser(cluster, 'ann', [shop]), await routesUser(cluster, 'bob', [shop])];

  let isOver = false;
  const answers = new Map<string, number>();
  const asking = planes.map(async ({ port }) => {
    while (!isOver) {
      const answer = await said(port, '/steady');
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
    }
  });
  let next = 0;
  const statuses = new Map<number, number>();
  const write = async (_: unknown, writer: number): Promise<void> => {
    const [client, token] = [clients[writer % clients.length]!, tokens[writer % tokens.length]!];
    for (let at = next++; at < ROUTES; at = next++) {
      const { spec } = sayingRoute(shop, `many-${at}`, `version ${at}`);
      for (const body of [{ ...(spec as object), name: `first-${at}` }, spec]) {
        const { status } = await client.ask(token, 'PUT', `/api/routes/${shop}.many-${at}`, { body });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  expect(Object.fromEntries(statuses)).toEqual({ 200: ROUTES, 201: ROUTES });
  for (const { port } of planes) {
    for (let at = 0; at < ROUTES; at++) {
      await expect.poll(() => said(port, `/many-${at}`)).toBe(`200 version ${at}`);
    }
  }
  isOver = true;
  await Promise.all(asking);
  expect([...answers.keys()]).toEqual(['200 steady']);
});
