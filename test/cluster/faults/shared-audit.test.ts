import { beforeEach, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { toSyslog } from '../../support/audit/audit-resources.ts';
import { type SyslogServer, startStreamSyslog } from '../../support/audit/syslog-server.ts';
import { PATIENCE } from '../../support/channel/plane-answers.ts';
import { theCluster } from '../../support/cluster/cluster.ts';
import { deployedObject, said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { keepingIn, untilKept } from '../../support/cluster/keeping-planes.ts';
import type { DeployedGateway } from '../../support/gateways/deployed-gateway.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';

const cluster = theCluster();
let shop: string;
let gateway: DeployedGateway;
let first: SyslogServer;
let second: SyslogServer;

const service = ({ port }: SyslogServer): JsonObject =>
  deployedObject('AuditService', shop, 'audit', toSyslog('127.0.0.1', port));

beforeEach(async () => {
  shop = await cluster.namespace('shop');
  [first, second] = [await startStreamSyslog(), await startStreamSyslog()];
  const trust = { egress: [first, second].map(({ port }) => `127.0.0.1:${port}`) };
  gateway = await testedGateway({ access: cluster, namespaces: [shop], trust });
  const routes = ['orders', 'bills'].map((name) => sayingRoute(shop, name, name, { auditService: 'audit' }));
  await gateway.apply({ apiVersion: 'v1', kind: 'List', items: [service(first), ...routes] });
  await gateway.startController();
});

/** Sends requests one after the other. */
async function ask(port: number, names: readonly string[], times: number): Promise<void> {
  for (let n = 0; n < times; n++) for (const name of names) expect(await said(port, `/${name}`)).toBe(`200 ${name}`);
}

/** Resolves when a data plane serves the Routes, and the first server has the events of the requests that showed it. */
async function untilServed(port: number): Promise<void> {
  for (const name of ['orders', 'bills']) {
    await vi.waitFor(async () => expect(await said(port, `/${name}`)).toMatch(/^200/), PATIENCE);
  }
  await untilTold(first, 2);
}

/** Resolves when a server has so many events, each once. */
async function untilTold(server: SyslogServer, count: number): Promise<void> {
  await vi.waitFor(() => expect(server.messages.length).toBeGreaterThanOrEqual(count), PATIENCE);
  const ids = server.messages.map((message) => /transactionId="([^"]+)"/.exec(message)?.[1]);
  expect(new Set(ids).size).toBe(server.messages.length);
  expect(ids).not.toContain(undefined);
}

it('an AuditService is shared by Routes, follows its changes, and outlives its deletion and a mistake', async () => {
  const { port } = await gateway.startPlane();
  await untilServed(port);
  const before = first.messages.length;
  await ask(port, ['orders', 'bills'], 5);
  await untilTold(first, before + 10);
  expect(first.connections.size).toBe(1);
  await gateway.untilReason(shop, 'auditservice/audit', 'Accepted', 'Accepted');

  await gateway.apply(service(second));
  await vi.waitFor(async () => {
    await ask(port, ['orders'], 1);
    expect(second.messages.length).toBeGreaterThan(0);
  }, PATIENCE);
  await gateway.untilReason(shop, 'route/orders', 'Programmed', 'Programmed');

  await gateway.apply(deployedObject('AuditService', shop, 'audit', { eventHandlers: [{ class: 'Odd', config: {} }] }));
  await gateway.untilReason(shop, 'auditservice/audit', 'Accepted', 'Invalid');
  await gateway.untilReason(shop, 'route/orders', 'ResolvedRefs', 'AuditServiceInvalid');
  const broken = second.messages.length;
  await ask(port, ['orders', 'bills'], 5);
  await untilTold(second, broken + 10);

  await gateway.kubectl(['delete', 'auditservices.gatewarden.io', 'audit', '-n', shop]);
  await gateway.untilReason(shop, 'route/bills', 'ResolvedRefs', 'AuditServiceNotFound');
  const gone = second.messages.length;
  await ask(port, ['orders', 'bills'], 5);
  await untilTold(second, gone + 10);

  await gateway.apply(service(first));
  await gateway.untilReason(shop, 'route/bills', 'ResolvedRefs', 'ResolvedRefs');
});

it('no event is lost or told twice by a restart of the controller and of the data plane', async () => {
  const keeping = keepingIn(gateway, 'kept');
  const before = await gateway.startPlane({ words: keeping.words });
  await untilServed(before.port);
  await untilKept(keeping.file);
  const [{ process: controller, port: channel }] = gateway.controllers as [(typeof gateway.controllers)[number]];
  const start = first.messages.length;
  await controller.stop();
  await ask(before.port, ['orders', 'bills'], 5);
  await before.process.stop();
  await untilTold(first, start + 10);

  const after = await gateway.startPlane({ words: keeping.words, name: before.name });
  await ask(after.port, ['orders', 'bills'], 5);
  await gateway.startController(['--listen', `127.0.0.1:${channel}`]);
  await gateway.untilReason(shop, 'route/orders', 'Programmed', 'Programmed');
  await ask(after.port, ['orders', 'bills'], 5);
  await untilTold(first, start + 30);
  expect(first.messages.length).toBe(start + 30);
});

it('a data plane keeps the AuditService that was deleted while no controller ran', async () => {
  const { port } = await gateway.startPlane();
  await untilServed(port);
  await gateway.untilReason(shop, 'route/orders', 'Programmed', 'Programmed');
  await gateway.untilReason(shop, 'route/bills', 'Programmed', 'Programmed');
  const [{ process: controller, port: channel }] = gateway.controllers as [(typeof gateway.controllers)[number]];
  await controller.stop();
  await gateway.kubectl(['delete', 'auditservices.gatewarden.io', 'audit', '-n', shop]);
  await gateway.startController(['--listen', `127.0.0.1:${channel}`]);
  await gateway.untilReason(shop, 'route/orders', 'ResolvedRefs', 'AuditServiceNotFound');
  const gone = first.messages.length;
  await ask(port, ['orders', 'bills'], 5);
  await untilTold(first, gone + 10);
});
