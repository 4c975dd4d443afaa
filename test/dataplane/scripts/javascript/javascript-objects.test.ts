import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { EchoBackend } from '../../../support/backends/echo-backend.ts';
import { startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { operatorReach } from '../../../support/gateways/operator-reach.ts';
import { startTenants, type TenantRoute } from '../../../support/gateways/tenant-gateway.ts';

const handler = (fields: JsonObject): JsonObject => ({
  type: 'ScriptableHandler',
  config: { type: 'application/javascript', ...fields },
});

const scripted = (tenant: string, source: string): TenantRoute => ({
  tenant,
  document: { condition: `\${request.uri.host == '${tenant}.test'}`, handler: handler({ source }) } as JsonObject,
});

const trust = {
  tenants: [
    { name: 'shop', hosts: ['shop.test'] },
    { name: 'bank', hosts: ['bank.test'] },
  ],
};

it('answers with the response of the script', async () => {
  const source = "return new Response(201, { headers: { 'X-A': ['1', '2'] }, reason: 'Done', body: 'made' })";
  const { ask } = await startFiltered([], handler({ source }));
  const answer = await ask('/');
  expect(answer).toMatchObject({ status: 201, body: 'made' });
  expect(answer.values('x-a')).toEqual(['1', '2']);
});

it('has no next in a handler', async () => {
  const { ask } = await startFiltered([], handler({ source: 'return next()' }));
  expect((await ask('/')).status).toBe(500);
});

it('returns the response of its own request', async () => {
  const { ask } = await startFiltered(
    [],
    handler({ source: "return http.send('http://app.test/?entity=in&h.x-a=1')" }),
  );
  const answer = await ask('/');
  expect(answer).toMatchObject({ status: 200, body: 'in' });
  expect(answer.values('x-a')).toEqual(['1']);
});

it('runs a file of the instance, and the changed one with the same globals after a change', async () => {
  const instance = mkdtempSync(join(tmpdir(), 'gatewarden-scripts-'));
  onTestFinished(() => rm(instance, { recursive: true }));
  const path = join(instance, 'scripts', 'javascript', 'say.js');
  mkdirSync(join(path, '..'), { recursive: true });
  const write = (text: string): void =>
    writeFileSync(path, `globals.first ??= '${text}'; return new Response(200, { body: '${text} ' + globals.first })`);
  write('one');
  const reach = { ...operatorReach(), directories: { instance, config: instance, temp: instance } };
  const { ask } = await startFiltered([], handler({ file: 'say.js' }), { reach });
  expect(await ask('/')).toMatchObject({ body: 'one one' });
  write('two');
  const changed = async () => expect(await ask('/')).toMatchObject({ body: 'two one' });
  await vi.waitFor(changed, { timeout: 20_000, interval: 100 });
});

it('gives the environment to scripts of operators', async () => {
  const reach = {
    ...operatorReach(),
    env: (name: string) => (name === 'COLOR' ? 'red' : undefined),
    envNames: () => ['COLOR'],
  };
  const source = "return new Response(200, { body: `${environment.get('COLOR')} ${environment.get('OTHER')}` })";
  const { ask } = await startFiltered([], handler({ source }), { reach });
  expect(await ask('/')).toMatchObject({ body: 'red null' });
});

it('keeps the globals of two tenants apart, and gives them no environment', async () => {
  const source =
    'globals.n = (globals.n ?? 0) + 1; return new Response(200, { body: `${globals.n} ${environment.get("PATH")}` })';
  const gateway = await startTenants({ a: scripted('shop', source), b: scripted('bank', source) }, { trust });
  expect(gateway.problems).toEqual([]);
  const bodies: string[] = [];
  for (const host of ['shop.test', 'shop.test', 'bank.test']) bodies.push((await gateway.get('/', host)).body);
  expect(bodies).toEqual(['1 null', '2 null', '1 null']);
});

it.each([
  ['loops', 'for (;;);'],
  ['loops inside of one operation', 'new Array(4294967295).forEach(() => {})'],
  ['fills its memory', 'const a = []; for (;;) a.push(new Uint8Array(1e6))'],
])('answers other tenants while the script of one %s', async (_title, source) => {
  const gateway = await startTenants(
    {
      a: scripted('shop', source),
      b: scripted('bank', "globals.n = (globals.n ?? 0) + 1; return new Response(200, { body: 'here' + globals.n })"),
    },
    { trust },
  );
  const bad = Array.from({ length: 8 }, () => gateway.get('/', 'shop.test'));
  for (let turn = 1; turn <= 20; turn++) expect((await gateway.get('/', 'bank.test')).body).toBe(`here${turn}`);
  expect(new Set((await Promise.all(bad)).map(({ status }) => status))).toEqual(new Set([500]));
});

it('sends no request of a script to an address that its tenant may not reach', async () => {
  const source = "return new Response(200, { body: `${(await http.send('http://127.0.0.1:1/')).status}` })";
  const gateway = await startTenants({ a: scripted('shop', source) }, { trust });
  expect((await gateway.get('/', 'shop.test')).body).toBe('403');
});

it('sends no request of a tenant to this machine, however its address is written', async () => {
  const seen: string[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    seen.push(request.url!);
    response.end();
  });
  onTestFinished(() => backend.close());
  const { port } = new URL(backend.url);
  const hosts = [
    ...['127.0.0.1', 'localhost', 'LOCALHOST.', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0'],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', 'shop.test@127.0.0.1', '169.254.169.254'],
  ];
  const uris = [
    ...hosts.map((host) => `http://${host}:${port}/`),
    'file:///etc/passwd',
    'unix:/tmp/a',
    `//127.0.0.1:${port}/`,
  ];
  const source = [
    `const uris = ${JSON.stringify(uris)}`,
    'const statuses = []',
    'for (const uri of uris) statuses.push(await http.send(uri).then((r) => r.status, () => 0))',
    "const way = new Request('GET', 'http://shop.test/', { headers: { Host: '127.0.0.1' } })",
    'statuses.push(await http.send(way).then((r) => r.status, () => 0))',
    'return new Response(200, { body: statuses })',
  ].join('\n');
  const gateway = await startTenants({ a: scripted('shop', source) }, { trust });
  const statuses = JSON.parse((await gateway.get('/', 'shop.test')).body) as number[];
  expect(statuses).toHaveLength(uris.length + 1);
  for (const status of statuses) expect([0, 403, 502]).toContain(status);
  expect(seen).toEqual([]);
});
