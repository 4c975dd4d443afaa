import { expect, it, vi } from 'vitest';
import { untilAnswer } from '../support/channel/plane-answers.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { deployedObject } from '../support/cluster/deployed-routes.ts';
import { testedGateway } from '../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const patience = { timeout: 120_000, interval: 200 };

/** Loops without end for one path, and answers for others. */
const SOURCE = ["while (request.uri.path == '/loop') {}", "def r = new Response(Status.OK); r.entity = 'done'; r"];

it('a Route with a suspended script says so in a condition and in Events, until a run ends within its limits', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const said = (path: string): Promise<string> =>
    cluster.run(['get', 'routes.gatewarden.io/loop', '-n', shop, '-o', path]);
  const conditions = () => said('jsonpath={range .status.conditions[*]}{.type}={.status} {.reason}: {.message};{end}');
  const events = (): Promise<string> =>
    cluster.run(['get', 'events.events.k8s.io', '-n', shop, '-o', 'jsonpath={range .items[*]}{.type} {.reason};{end}']);
  await gateway.startController();
  const handler = { type: 'ScriptableHandler', config: { type: 'application/x-groovy', source: SOURCE } };
  await gateway.apply(deployedObject('Route', shop, 'loop', { handler }));
  const plane = await gateway.startPlane();
  await untilAnswer(plane.port, '/', '200 done');
  const loop = async (): Promise<string> => {
    for (let i = 0; i < 3; i++) await untilAnswer(plane.port, '/loop', '500 ');
    return await conditions();
  };
  await vi.waitFor(
    async () => expect(await loop()).toContain('ScriptsRunning=False Suspended: a script exceeds'),
    patience,
  );
  expect(await conditions()).toMatch(/Accepted=True .*Programmed=True /);
  await vi.waitFor(async () => expect(await events()).toContain('Warning ScriptSuspended'), patience);

  await untilAnswer(plane.port, '/', '200 done');
  await vi.waitFor(async () => expect(await conditions()).not.toContain('ScriptsRunning'), patience);
  await vi.waitFor(async () => expect(await events()).toContain('Normal ScriptResumed'), patience);
});
