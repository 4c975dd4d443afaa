import { expect, it, onTestFinished } from 'vitest';
import { theCluster } from '../../support/cluster/cluster.ts';
import { CREST_WORDS, type CrestClient, crestClient } from '../../support/crest/cluster-client.ts';
import { routesUser } from '../../support/crest/cluster-users.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** @returns the Cookie header of the new session */
async function signedIn(client: CrestClient, token: string): Promise<string> {
  const { status, headers } = await client.ask(null, 'POST', '/console/session', {
    body: { token },
    headers: OWN_PAGE,
  });
  expect(status).toBe(200);
  const lines = [headers['set-cookie'] ?? []].flat().filter((line) => !line.includes('Max-Age=0'));
  return lines.map((line) => line.slice(0, line.indexOf(';'))).join('; ');
}

it('sessions of the console outlive a controller, and end at all controllers when their Secret is emptied', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const token = await routesUser(cluster, 'keeper', [shop], ['get', 'list']);
  const leader = await gateway.startController(CREST_WORDS);
  await leader.process.line(({ isLeader }) => isLeader === true);
  const first = await gateway.startController(CREST_WORDS);
  const second = await gateway.startController(CREST_WORDS);
  for (const { process } of [leader, first, second]) {
    await process.line(({ msg }) => msg === 'initial list complete');
  }
  const [atLeader, atFirst, atSecond] = [
    await crestClient(gateway, leader),
    await crestClient(gateway, first),
    await crestClient(gateway, second),
  ];
  onTestFinished(async () => {
    for (const client of [atLeader, atFirst, atSecond]) await client.close();
  });
  const statusAt = async (client: CrestClient, cookie: string): Promise<number> =>
    (await client.ask(null, 'GET', '/api/info', { headers: { ...OWN_PAGE, cookie } })).status;

  const cookie = await signedIn(atFirst, token);
  await first.process.stop('SIGKILL');
  expect([await statusAt(atLeader, cookie), await statusAt(atSecond, cookie)]).toEqual([200, 200]);

  const patch = JSON.stringify([{ op: 'remove', path: '/data' }]);
  await gateway.kubectl([
    ...['patch', 'secret', 'gatewarden-sessions', '-n', gateway.namespace, '--type=json'],
    ...['-p', patch],
  ]);
  for (const { process } of [leader, second]) await process.line(({ msg }) => msg === 'session keys changed');
  expect([await statusAt(atLeader, cookie), await statusAt(atSecond, cookie)]).toEqual([401, 401]);
  const next = await signedIn(atLeader, token);
  expect([await statusAt(atLeader, next), await statusAt(atSecond, next)]).toEqual([200, 200]);
});
