import { existsSync, readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';

let folder: InstanceFolder;
let gateway: GatewayProcess;

afterEach(async () => {
  await gateway.stop();
  folder[Symbol.dispose]();
});

const shop = {
  condition: "${find(request.uri.path, '^/shop')}",
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'open' } },
};

async function run(admin: object): Promise<void> {
  folder = new InstanceFolder({
    'config/admin.json': admin,
    'config/config.json': { handler: { type: 'Router', name: '_router', config: { scanInterval: 'disabled' } } },
    'config/routes/.keep': '',
  });
  gateway = await GatewayProcess.run(folder.path, ['--units', '2']);
}

const put = (path: string, body: object): Promise<Response> =>
  fetch(`http://127.0.0.1:${gateway.adminPort}${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const statusOf = async (port: number, path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })).status;

it('serves a route in all units as soon as it was created over HTTP in the mode EVALUATION', async () => {
  await run({ mode: 'EVALUATION', prefix: 'gw' });
  expect(await statusOf(gateway.port, '/shop')).toBe(404);
  expect((await put('/gw/api/system/objects/_router/routes/shop', shop)).status).toBe(201);
  for (let at = 0; at < 8; at++) expect(await statusOf(gateway.port, '/shop')).toBe(200);
  expect(await statusOf(gateway.adminPort, '/api/routes/shop')).toBe(200);
  expect(await statusOf(gateway.adminPort, '/api/info')).toBe(200);
  expect(await statusOf(gateway.port, '/gw/api/system/objects/_router/routes/shop')).toBe(404);
});

it('takes back a route that the units cannot build, while the one before serves', async () => {
  await run({ mode: 'EVALUATION' });
  const secretsProvider = { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } };
  const mappings = [{ secretId: 'x', aliases: ['x'] }];
  const config = { file: 'none.p12', storePasswordSecretId: 'password', secretsProvider, mappings };
  const unbuildable = { ...shop, heap: [{ name: 'keys', type: 'KeyStoreSecretStore', config }] };
  expect((await put('/api/routes/shop', shop)).status).toBe(201);
  const refused = await put('/api/routes/shop', unbuildable);
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ detail: { problems: [{ severity: 'error', code: 'build' }] } });
  expect((await put('/api/routes/other', unbuildable)).status).toBe(409);
  for (let at = 0; at < 8; at++) expect(await statusOf(gateway.port, '/shop')).toBe(200);
  expect(await statusOf(gateway.adminPort, '/api/routes/other')).toBe(404);
  expect(JSON.parse(readFileSync(folder.at('config/routes/shop.json'), 'utf8'))).toEqual({ _id: 'shop', ...shop });
  expect(existsSync(folder.at('config/routes/other.json'))).toBe(false);
});

it('transforms a field of a route with a script, and refuses a script that is wrong', async () => {
  await run({ mode: 'EVALUATION' });
  expect((await put('/api/routes/shop', shop)).status).toBe(201);
  const patch = (script: object): Promise<Response> =>
    fetch(`http://127.0.0.1:${gateway.adminPort}/api/routes/shop`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ operation: 'transform', field: '/handler/config/entity', value: { script } }]),
    });
  const entity = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${gateway.port}/shop`, { headers: { connection: 'close' } })).text();
  expect((await patch({ type: 'application/x-groovy', source: 'value.toUpperCase()' })).status).toBe(200);
  expect(await entity()).toBe('OPEN');
  expect((await patch({ type: 'text/javascript', source: "return value + '!'" })).status).toBe(200);
  expect(await entity()).toBe('OPEN!');
  const refused = await patch({ type: 'application/x-groovy', source: 'value.\n+)' });
  expect(refused.status).toBe(400);
  expect(((await refused.json()) as { message: string }).message).toMatch(
    /transform: the script, line \d+, column \d+: /,
  );
  expect((await patch({ type: 'application/x-groovy', source: 'while (true) {}' })).status).toBe(400);
  const invalid = await patch({ type: 'application/x-groovy', source: '[1]' });
  expect(invalid.status).toBe(409);
  expect(await entity()).toBe('OPEN!');
});

const key = "${request.headers['X-Key'][0] == 'right'}";

it.each<[string, object]>([
  [
    'an object of its name',
    { heap: [{ name: 'ApiProtectionFilter', type: 'ConditionEnforcementFilter', config: { condition: key } }] },
  ],
  ['the field', { apiProtectionFilter: { type: 'ConditionEnforcementFilter', config: { condition: key } } }],
])('protects the API with the filter of admin.json, given as %s', async (_, admin) => {
  await run({ mode: 'EVALUATION', ...admin });
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(`http://127.0.0.1:${gateway.adminPort}${path}`, { headers })).status;
  for (const path of ['/api/routes?_queryFilter=true', '/api/info', '/openig/api/info', '/openig', '/api?_api']) {
    expect([path, await ask(path)]).toEqual([path, 403]);
    expect([path, await ask(path, { 'x-key': 'wrong' })]).toEqual([path, 403]);
    expect([path, await ask(path, { 'x-key': 'right' })]).toEqual([path, path === '/openig' ? 204 : 200]);
  }
  expect((await put('/api/routes/shop', shop)).status).toBe(403);
  expect(await ask('/api/info', { 'x-key': 'right', 'x-forwarded-for': '192.0.2.1' })).toBe(200);
  expect(await ask('/api/info', { 'x-key': 'right', origin: 'https://evil.example' })).toBe(403);
  expect(existsSync(folder.at('config/routes/shop.json'))).toBe(false);
  expect(await ask('/metrics')).toBe(200);
});

it.each<[string, object]>([
  [
    'an object of its name',
    { heap: [{ name: 'MetricsProtectionFilter', type: 'ConditionEnforcementFilter', config: { condition: key } }] },
  ],
  ['the field', { metricsProtectionFilter: { type: 'ConditionEnforcementFilter', config: { condition: key } } }],
])('protects the metrics with the filter of admin.json, given as %s', async (_, admin) => {
  await run(admin);
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(`http://127.0.0.1:${gateway.adminPort}${path}`, { headers })).status;
  const paths = [
    '/metrics',
    '/openig/metrics/prometheus',
    '/openig/metrics/prometheus/0.0.4',
    '/openig/metrics/api?_queryFilter=true',
  ];
  for (const path of paths) {
    expect([path, await ask(path), await ask(path, { 'x-key': 'right' })]).toEqual([path, 403, 200]);
  }
  for (const path of ['/health/live', '/health/ready', '/openig/ping', '/api/info']) {
    expect([path, await ask(path)]).toEqual([path, 200]);
  }
});

it('limits bodies on the admin port by adminMaxBodyLength', async () => {
  await run({ mode: 'EVALUATION', adminMaxBodyLength: 200 });
  expect((await put('/api/routes/shop', { ...shop, name: 'x'.repeat(200) })).status).toBe(413);
  expect((await put('/api/routes/shop', { handler: shop.handler })).status).toBe(201);
});

it('refuses to manage routes over HTTP by default', async () => {
  await run({});
  expect((await put('/api/routes/shop', shop)).status).toBe(403);
  expect(await statusOf(gateway.adminPort, '/api/routes?_queryFilter=true')).toBe(403);
  expect(existsSync(folder.at('config/routes/shop.json'))).toBe(false);
});
