import { beforeEach, describe, expect, it, vi } from 'vitest';
import { programVersion } from '../../cli/version.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { previousProgram } from '../support/channel/older-program.ts';
import { SteadyClient } from '../support/clients/steady-client.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { controllerReport } from '../support/cluster/controller-report.ts';
import { said, sayingHandler, sayingRoute } from '../support/cluster/deployed-routes.ts';
import type { DeployedGateway, RunningController, RunningPlane } from '../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../support/gateways/tested-gateway.ts';

const cluster = theCluster();
const patience = { timeout: 60_000, interval: 100 };
const NEWER = programVersion();
const OLDER = '0.0.9';
let shop = '';
let gateway: DeployedGateway;
let older: readonly [string];

beforeEach(async () => {
  shop = await cluster.namespace('shop');
  gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  older = [previousProgram(gateway.at('older'), OLDER, 'uriPathRewriteFilter')];
});

const command = (version: string): { command?: readonly [string] } => (version === OLDER ? { command: older } : {});

/** Routes on all planes: this text at this path, and nothing else ever. */
async function untilSaid(planes: readonly RunningPlane[], path: string, text: string): Promise<void> {
  for (const { port } of planes) await vi.waitFor(async () => expect(await said(port, path)).toBe(text), patience);
}

async function untilProgrammed(name: string, programmed: string): Promise<void> {
  const words = ['get', 'routes.gatewarden.io', name, '-n', shop, '-o', 'jsonpath={.status.programmed}'];
  await vi.waitFor(async () => expect(await gateway.kubectl(words)).toBe(programmed), patience);
}

async function untilReported(controller: RunningController, versions: readonly string[]): Promise<void> {
  await vi.waitFor(async () => {
    const { planes, revision } = await controllerReport(controller);
    expect(planes.map(({ version }) => version).toSorted()).toEqual(versions.toSorted());
    for (const plane of planes) expect(plane).toMatchObject({ state: 'current', ready: true, revision });
  }, patience);
}

const rewriting = (text: string): JsonObject => {
  const rewrite = { type: 'UriPathRewriteFilter', config: { mappings: { '/orders': '/' } } };
  return { handler: { type: 'Chain', config: { filters: [rewrite], handler: sayingHandler(text) } } };
};

describe.each([
  { controller: NEWER, plane: OLDER },
  { controller: OLDER, plane: NEWER },
])('a plane $plane with a controller $controller', (versions) => {
  it('follows it through changes, faults and reports, and no request is lost', async () => {
    await gateway.apply(sayingRoute(shop, 'orders', 'first'));
    const controller = await gateway.startController([], command(versions.controller));
    const plane = await gateway.startPlane(command(versions.plane));
    await untilReported(controller, [versions.plane]);
    const client = new SteadyClient(plane.port, '/orders', (text) => /^(first|second|third)$/.test(text));

    await gateway.apply(sayingRoute(shop, 'orders', 'second'));
    await untilSaid([plane], '/orders', '200 second');
    await untilProgrammed('orders', '1/1');
    // what only the newer one of the two knows hurts nobody: either the controller refuses it, or the plane
    await gateway.apply(sayingRoute(shop, 'orders', 'third', rewriting('third')));
    const [condition, reason] =
      versions.plane === OLDER ? (['Programmed', 'PlaneRefused'] as const) : (['Accepted', 'Invalid'] as const);
    await gateway.untilReason(shop, 'route/orders', condition, reason);
    expect(await said(plane.port, '/orders')).toBe('200 second');
    await gateway.apply(sayingRoute(shop, 'bills', 'bills'));
    await untilSaid([plane], '/bills', '200 bills');
    await gateway.apply(sayingRoute(shop, 'orders', 'third'));
    await untilSaid([plane], '/orders', '200 third');
    await gateway.kubectl(['delete', 'routes.gatewarden.io', 'bills', '-n', shop]);
    await vi.waitFor(async () => expect(await said(plane.port, '/bills')).toMatch(/^404/), patience);
    await untilReported(controller, [versions.plane]);

    expect(await client.stop()).toEqual([]);
    expect(client.answered).toBeGreaterThan(0);
    const requests = async (): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${controller.adminPort}/metrics`)).text();
      const counted = /^gw_route_request_total\{[^}]*orders"[^}]*\} (\d+)/m.exec(text);
      return Number(counted?.[1] ?? 0);
    };
    await vi.waitFor(async () => expect(await requests()).toBeGreaterThanOrEqual(client.answered), patience);
  });
});

it('controllers and planes are upgraded and rolled back one by one, and no request is lost', async () => {
  await gateway.apply(sayingRoute(shop, 'orders', 'first'));
  const before = await gateway.startController([], command(OLDER));
  const next = await gateway.startController();
  const planes = [await gateway.startPlane(command(OLDER)), await gateway.startPlane()];
  // the one that leads counts the planes of both, whatever it is
  await untilProgrammed('orders', '2/2');
  await untilReported(before, [OLDER, NEWER]);
  const clients = planes.map(({ port }) => new SteadyClient(port, '/orders', (text) => /^(first|second)$/.test(text)));

  await before.process.stop();
  await untilReported(next, [OLDER, NEWER]);
  await gateway.apply(sayingRoute(shop, 'orders', 'second'));
  await untilSaid(planes, '/orders', '200 second');
  await untilProgrammed('orders', '2/2');

  const again = await gateway.startController(['--listen', `127.0.0.1:${before.port}`], command(OLDER));
  await next.process.stop();
  await untilReported(again, [OLDER, NEWER]);
  await gateway.apply(sayingRoute(shop, 'orders', 'first'));
  await untilSaid(planes, '/orders', '200 first');
  for (const client of clients) {
    expect(await client.stop()).toEqual([]);
    expect(client.answered).toBeGreaterThan(0);
  }
});
