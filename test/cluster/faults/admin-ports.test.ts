import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { theCluster } from '../../support/cluster/cluster.ts';
import { said, sayingRoute } from '../../support/cluster/deployed-routes.ts';
import { limitedAccount } from '../../support/cluster/limited-account.ts';
import { testedGateway } from '../../support/gateways/tested-gateway.ts';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';

const cluster = theCluster();

it('health and metrics are public, status and dump need RBAC', async () => {
  const shop = await cluster.namespace('shop');
  const gateway = await testedGateway({ access: cluster, namespaces: [shop] });
  await gateway.apply(sayingRoute(shop, 'hello', 'hello'));
  const controller = await gateway.startController([
    ...['--secure-admin', '127.0.0.1:0', '--admin-socket', gateway.at('admin.sock')],
  ]);
  const plane = await gateway.startPlane();
  await gateway.untilReason(shop, 'route/hello', 'Programmed', 'Programmed');
  const viewer = await limitedAccount(cluster, 'viewer', [{ nonResourceURLs: ['/status'], verbs: ['get'] }]);
  const listening = controller.process.said.find(({ msg }) => msg === 'listening')!;
  const { port } = listening['secureAdmin'] as { port: number };
  const dispatcher = new Agent({ connect: { ca: readFileSync(gateway.at('ca.crt')) } });
  onTestFinished(() => dispatcher.close());

  async function status(path: string, token?: string): Promise<number> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const { statusCode, body } = await request(`https://127.0.0.1:${port}${path}`, { headers, dispatcher });
    await body.dump();
    return statusCode;
  }

  const asked = ['/health/live', '/health/ready', '/metrics', '/status', '/dump', '/openig/metrics/api'];
  const as = async (token?: string): Promise<number[]> => {
    const statuses: number[] = [];
    for (const path of asked) statuses.push(await status(path, token));
    return statuses;
  };
  expect(await as()).toEqual([200, 200, 200, 401, 401, 401]);
  expect(await as('nobody')).toEqual([200, 200, 200, 401, 401, 401]);
  expect(await as(viewer.token)).toEqual([200, 200, 200, 200, 403, 403]);
  expect(await said(controller.adminPort, '/status', { 'x-forwarded-for': '192.0.2.1' })).toMatch(/^403 /);
  expect(await said(plane.adminPort, '/', { 'x-forwarded-for': '192.0.2.1' })).toMatch(/^403 /);
  expect(await said(plane.adminPort, '/health/ready', { 'x-forwarded-for': '192.0.2.1' })).toBe('200 ready');

  const inside = await runProgram(gatewarden, ['status', '--admin', `unix:${gateway.at('admin.sock')}`]);
  expect(inside).toMatchObject({ code: 0, stdout: expect.stringContaining(plane.name) });
});
