import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { SteadyClient } from '../../support/clients/steady-client.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { spoken } from '../../support/cluster/keeping-planes.ts';
import { mintedToken } from '../../support/cluster/minted-token.ts';
import type { RunningPlane } from '../../support/gateways/deployed-gateway.ts';
import type { PlaneLine } from '../../support/gateways/gateway-process.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 50 };

it('a stream ends with the Pod, token or group of its data plane, which keeps serving and reconnects when allowed', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  const { namespace } = gateway;
  for (const account of ['doomed', 'short', 'leaving']) {
    await gateway.kubectl(['create', 'serviceaccount', account, '-n', namespace]);
  }
  const groupOf = (...accounts: readonly string[]) => [
    { name: 'edge', serviceAccounts: accounts.map((account) => `${namespace}/${account}`) },
  ];
  await gateway.configure({ groups: groupOf('doomed', 'short', 'leaving') });
  await gateway.apply(sayingRoute(shop, 'hello', 'first'));
  const controller = await gateway.startController();
  const uid = (object: string): Promise<string> =>
    gateway.kubectl(['get', object, '-n', namespace, '-o', 'jsonpath={.metadata.uid}']);

  async function started(account: string): Promise<RunningPlane> {
    const plane = await gateway.startPlane({ account });
    await vi.waitFor(async () => expect(await said(plane.port, '/hello')).toBe('200 first'), patience);
    return plane;
  }

  /** The plane has no stream any more, and serves all the same. */
  async function cutOff({ process, port }: RunningPlane, client: SteadyClient, reason: RegExp): Promise<void> {
    const line = await process.line(spoken('no controller connected; still serving'));
    expect(line['reason']).toMatch(reason);
    expect(await said(port, '/hello')).toBe('200 first');
    expect(await client.stop()).toEqual([]);
    expect(client.answered).toBeGreaterThan(0);
  }

  function left(plane: RunningPlane, reason: RegExp): Promise<PlaneLine> {
    return controller.process.line(
      (line) =>
        line.msg === 'data plane disconnected' && line['plane'] === plane.name && reason.test(String(line['reason'])),
    );
  }

  async function loseThePod(): Promise<void> {
    const plane = await started('doomed');
    const client = new SteadyClient(plane.port, '/hello', (text) => text === 'first');
    await gateway.kubectl(['delete', 'pod', plane.name, '-n', namespace, '--force', '--grace-period=0']);
    await left(plane, /the Pod of the data plane no longer exists/);
    await cutOff(plane, client, /credential|Pod|token/);
  }

  async function loseTheToken(): Promise<RunningPlane> {
    const name = await gateway.makePod({ account: 'short' });
    const good = readFileSync(gateway.at(`${name}.token`));
    const claims = {
      namespace,
      account: { name: 'short', uid: await uid('serviceaccount/short') },
      pod: { name, uid: await uid(`pod/${name}`) },
      audience: 'gatewarden-controller',
    };
    const show = (lifetime: number): void => {
      const file = gateway.at(`${name}.token`);
      writeFileSync(`${file}.new`, mintedToken(cluster, { ...claims, lifetime }));
      renameSync(`${file}.new`, file);
    };
    // the data plane may take longer to start than a token lives: it finds a new one until it is connected
    show(20);
    const renewal = setInterval(() => show(20), 1000);
    const plane = await gateway.startPlane({ name }).finally(() => clearInterval(renewal));
    show(-1);
    const client = new SteadyClient(plane.port, '/hello', (text) => text === 'first');
    const line = await plane.process.line(spoken('controller asked to reconnect'));
    expect(line['reason']).toBe('the credential of the data plane expires');
    await cutOff(plane, client, /credential|token/);
    writeFileSync(gateway.at(`${name}.token`), good);
    return plane;
  }

  async function loseTheGroup(): Promise<RunningPlane> {
    const plane = await started('leaving');
    const client = new SteadyClient(plane.port, '/hello', (text) => text === 'first');
    await gateway.configure({ groups: groupOf('doomed', 'short') });
    await left(plane, /belongs to no group|no longer belongs to a group/);
    await cutOff(plane, client, /ServiceAccount|group|credential/);
    return plane;
  }

  const [, short, leaving] = await Promise.all([loseThePod(), loseTheToken(), loseTheGroup()]);
  await gateway.configure({ groups: groupOf('doomed', 'short', 'leaving') });
  await gateway.apply(sayingRoute(shop, 'hello', 'second'));
  for (const { port } of [short, leaving]) {
    await vi.waitFor(async () => expect(await said(port, '/hello')).toBe('200 second'), patience);
  }
});
