import { describe, expect, it, vi } from 'vitest';
import { untilAnswer } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { routeManifest } from '../../support/cluster/route-manifest.ts';
import type { DeployedGateway, RunningController } from '../../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 200 };
const nonsense = { egress: ['nonsense'] };

async function readiness({ adminPort }: RunningController): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${adminPort}/health/ready`);
  return `${answer.status} ${await answer.text()}`;
}

/** The conditions of a Route as `type=status reason`. */
async function conditions(namespace: string, route: string): Promise<string> {
  const path = 'jsonpath={range .status.conditions[*]}{.type}={.status} {.reason}: {.message};{end}';
  return cluster.run(['get', `routes.gatewarden.io/${route}`, '-n', namespace, '-o', path]);
}

/** Reasons and notes of the Events about the base configuration. */
async function baseEvents({ namespace }: DeployedGateway): Promise<string> {
  const path = 'jsonpath={range .items[?(@.regarding.kind=="ConfigMap")]}{.reason}: {.note};{end}';
  return cluster.run(['get', 'events.events.k8s.io', '-n', namespace, '-o', path]);
}

async function untilKept({ namespace }: DeployedGateway, text: string): Promise<void> {
  const read = async (): Promise<string> => {
    const words = ['get', 'secret', 'gatewarden-base', '-n', namespace, '-o', 'jsonpath={.data.base\\.json}'];
    return Buffer.from(await cluster.run(words), 'base64').toString();
  };
  await vi.waitFor(async () => expect(await read()).toContain(text), patience);
}

describe('a base configuration that is not valid', () => {
  it('leaves the last good one serving after a restart of all controllers', async () => {
    const shop = await cluster.namespace('shop');
    const deployed = await testedGateway({ access: cluster, namespaces: [shop] });
    const first = await deployed.startController();
    await deployed.apply(routeManifest(shop, 'orders', 'good'));
    const holder = await deployed.startPlane();
    await untilAnswer(holder.port, '/orders', '200 good');
    await untilKept(deployed, 'edge');
    await deployed.configure(nonsense);
    await vi.waitFor(async () => expect(await baseEvents(deployed)).toContain('egress[0]'), patience);
    await first.process.stop('SIGKILL');

    const second = await deployed.startController();
    await vi.waitFor(async () => expect(await readiness(second)).toMatch(/^200 /), patience);
    await second.process.line(({ msg }) => msg === 'this controller is the leader');
    const newcomer = await deployed.startPlane({ controllers: [second] });
    await untilAnswer(newcomer.port, '/orders', '200 good');
    await deployed.apply(routeManifest(shop, 'orders', 'edited'));
    await untilAnswer(newcomer.port, '/orders', '200 edited');
    await deployed.untilReason(shop, 'route/orders', 'Accepted', 'Accepted');
    await deployed.untilReason(shop, 'route/orders', 'BaseCurrent', 'LastGoodServes');
    expect(await conditions(shop, 'orders')).toMatch(/BaseCurrent=False LastGoodServes: trust\.json .*last good/);
    expect(await baseEvents(deployed)).toMatch(
      /BaseConfigurationInvalid: the last good version stays in effect\n.*egress\[0\]/,
    );

    await deployed.configure({ onInvalid: 'Refuse' });
    await vi.waitFor(async () => expect(await conditions(shop, 'orders')).not.toContain('BaseCurrent'), patience);
    await vi.waitFor(async () => expect(await baseEvents(deployed)).toContain('BaseConfigurationAccepted'), patience);
    await untilKept(deployed, '"onInvalid":"Refuse"');
  });

  it('keeps controllers not ready if there was no valid version before', async () => {
    const shop = await cluster.namespace('shop');
    const deployed = await testedGateway({ access: cluster, namespaces: [shop], trust: nonsense });
    await deployed.apply(routeManifest(shop, 'orders', 'good'));
    const controller = await deployed.startController();
    await deployed.untilReason(shop, 'route/orders', 'Accepted', 'BaseConfigurationInvalid');
    expect(await readiness(controller)).toMatch(/^503 .*base configuration is not valid/);
    const events = (): Promise<string> => baseEvents(deployed);
    await vi.waitFor(async () => expect(await events()).toMatch(/nothing is published\n.*egress\[0\]/), patience);
    await deployed.configure({});
    await vi.waitFor(async () => expect(await readiness(controller)).toMatch(/^200 /), patience);
    await deployed.untilReason(shop, 'route/orders', 'Accepted', 'Accepted');
  });

  it('is refused by the webhook with the file, the path and the reason', async () => {
    const shop = await cluster.namespace('shop');
    const deployed = await testedGateway({ access: cluster, namespaces: [shop], words: ['--webhook', '127.0.0.1:0'] });
    const controller = await deployed.startController();
    await controller.process.line(({ msg }) => msg === 'admission webhook registered');
    const refused = async (trust: object, base: object = {}): Promise<string> =>
      deployed.configure({ ...trust }, { ...base }).then(
        () => 'it was accepted',
        (error: Error) => error.message,
      );
    // the API server takes a moment to ask a webhook that is new
    await vi.waitFor(async () => expect(await refused(nonsense)).toMatch(/egress\[0\]: .*\n.*trust\.json/), patience);
    expect(await refused({}, { 'config.json': { hepa: [] } })).toMatch(/hepa: there is no field .*\n.*config\.json/);
    expect(await refused({}, { 'config.json': { heap: [{ name: 1 }] } })).toMatch(/heap\[0\]/);
    expect(await refused({}, { 'admin.json': { maxBodyLenght: 1 } })).toMatch(/maxBodyLenght/);
    expect(await refused({ onInvalid: 'Refuse' })).toBe('it was accepted');
  });
});
