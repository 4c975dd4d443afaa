import { afterEach, expect, it } from 'vitest';
import { GatewayProcess } from '../../support/gateways/gateway-process.ts';
import { type FolderContent, InstanceFolder } from '../../support/gateways/instance-folder.ts';

let folder: InstanceFolder;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder[Symbol.dispose]();
});

const content: FolderContent = {
  'config/config.json': {
    heap: [
      {
        name: 'AuditService',
        type: 'AuditService',
        config: {
          config: {},
          eventHandlers: [
            {
              class: 'org.vendor.audit.handlers.json.stdout.JsonStdoutAuditEventHandler',
              config: { name: 'out', topics: ['access'] },
            },
          ],
        },
      },
      { name: '_router', type: 'Router', config: {} },
    ],
    auditService: 'AuditService',
    handler: '_router',
  },
  'config/routes/shop.json': {
    condition: "${find(request.uri.path, '^/shop')}",
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'bought' } },
  },
};

/** Events on the standard output of the gateway. */
const events = (output: string): { readonly _id: string; readonly [name: string]: unknown }[] =>
  output
    .split('\n')
    .filter((line) => line.includes('"_topic":"access"'))
    .map((line) => JSON.parse(line));

it('writes one event for each request to the standard output, without credentials, and all of them before it ends', async () => {
  folder = new InstanceFolder(content);
  gateway = await GatewayProcess.run(folder.path, ['--units', '2']);
  const url = `http://127.0.0.1:${gateway.port}`;
  const headers = { authorization: 'Bearer s3cret', cookie: 'session=s3cret', 'x-api-key': 's3cret' };
  for (let n = 0; n < 40; n++) await (await fetch(`${url}/shop/${n}?access_token=s3cret`, { headers })).text();
  await (await fetch(`${url}/nowhere`)).text();
  await gateway.stop();

  const told = events(gateway.stdout);
  expect(told).toHaveLength(41);
  expect(new Set(told.map(({ _id }) => _id)).size).toBe(41);
  expect(told.find(({ decision }) => (decision as { outcome: string }).outcome === 'refused')).toMatchObject({
    response: { status: 'FAILED', statusCode: '404' },
    decision: { code: 'no-route' },
  });
  // the events of two units come in any order
  const served = { ig: { routeId: 'shop' }, response: { status: 'SUCCESSFUL', statusCode: '200' } };
  expect(told.find(({ decision }) => (decision as { outcome: string }).outcome !== 'refused')).toMatchObject(served);
  expect(gateway.stdout).not.toContain('s3cret');
});
