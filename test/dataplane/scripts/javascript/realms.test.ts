import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { quickJsOrNull } from '../../../../dataplane/scripts/javascript/realms.ts';
import { EchoBackend } from '../../../support/backends/echo-backend.ts';
import { memoryUse } from '../../../support/clients/memory.ts';
import { startTenants, type TenantRoute } from '../../../support/gateways/tenant-gateway.ts';

const scripted = (tenant: string, source: string, path = '/'): TenantRoute => ({
  tenant,
  document: {
    condition: `\${request.uri.host == '${tenant}.test' and request.uri.path == '${path}'}`,
    handler: { type: 'ScriptableHandler', config: { type: 'application/javascript', source } },
  } as JsonObject,
});

const trust = {
  tenants: [
    { name: 'shop', hosts: ['shop.test'] },
    { name: 'bank', hosts: ['bank.test'] },
  ],
};

const FINE = "return new Response(200, { body: 'here' })";
/** Tells whether its context is the one of the first request: a date is a text in a later one. */
const SAME = 'globals.at ??= new Date(); return new Response(200, { body: typeof globals.at })';
/** Breaks an operation off, which costs the tenant its memory. */
const LOSES = 'new Array(4294967295).forEach(() => {})';

const WAITING = { timeout: 20_000, interval: 10 };

/** Memory of the tenant, without holding it. */
const memoryOf = (tenant: string): WeakRef<object> => new WeakRef<object>(quickJsOrNull(tenant)!);

/** Expects that nobody holds the memory any more. */
const freed = (memory: WeakRef<object>): Promise<void> =>
  vi.waitFor(() => {
    memoryUse();
    expect(memory.deref()).toBeUndefined();
  }, WAITING);

it('frees the memory of a tenant with its last script', async () => {
  const gateway = await startTenants(
    { a: scripted('shop', FINE), b: scripted('shop', FINE, '/b'), c: scripted('bank', FINE) },
    { trust },
  );
  for (const [path, host] of [
    ['/', 'shop.test'],
    ['/b', 'shop.test'],
    ['/', 'bank.test'],
  ] as const)
    expect((await gateway.get(path, host)).body).toBe('here');
  const memory = memoryOf('shop');
  gateway.change({ a: null });
  expect((await gateway.get('/b', 'shop.test')).body).toBe('here');
  expect(memory.deref()).toBe(quickJsOrNull('shop'));
  gateway.change({ b: null });
  await vi.waitFor(() => expect(quickJsOrNull('shop')).toBeNull(), WAITING);
  await freed(memory);
  expect(quickJsOrNull('bank')).not.toBeNull();
  gateway.change({ a: scripted('shop', FINE) });
  expect((await gateway.get('/', 'shop.test')).body).toBe('here');
});

it('frees memory that was given up while other scripts of the tenant have no requests', async () => {
  const gateway = await startTenants(
    { a: scripted('shop', LOSES), b: scripted('shop', FINE, '/b'), c: scripted('shop', FINE, '/c') },
    { trust },
  );
  for (const path of ['/b', '/c']) expect((await gateway.get(path, 'shop.test')).status).toBe(200);
  const memory = memoryOf('shop');
  expect((await gateway.get('/', 'shop.test')).status).toBe(500);
  await freed(memory);
  expect((await gateway.get('/b', 'shop.test')).status).toBe(200);
});

it('ends runs of other scripts that lose their memory, and does not suspend them', async () => {
  const held: ServerResponse[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (_, response) => void held.push(response));
  onTestFinished(() => backend.close());
  const waits = `await http.send('${backend.url}'); return new Response(200)`;
  const gateway = await startTenants(
    { a: scripted('shop', LOSES), b: scripted('shop', waits, '/b') },
    { trust: { ...trust, egress: [new URL(backend.url).host] } },
  );
  for (let turn = 1; turn <= 3; turn++) {
    const waiting = gateway.get('/b', 'shop.test');
    await vi.waitFor(() => expect(held).toHaveLength(turn), WAITING);
    expect((await gateway.get('/', 'shop.test')).status).toBe(500);
    expect((await waiting).status).toBe(500);
  }
  const again = gateway.get('/b', 'shop.test');
  await vi.waitFor(() => expect(held).toHaveLength(4), WAITING);
  for (const response of held) response.end();
  expect((await again).status).toBe(200);
});

it('leaves tenants their contexts when one of them has many scripts', async () => {
  const routes = Object.fromEntries(
    Array.from({ length: 110 }, (_, at) => [`r${at}`, scripted('shop', FINE, `/${at}`)] as const),
  );
  const gateway = await startTenants({ ...routes, bank: scripted('bank', SAME) }, { trust });
  expect((await gateway.get('/', 'bank.test')).body).toBe('object');
  for (let at = 0; at < 110; at++) expect((await gateway.get(`/${at}`, 'shop.test')).body).toBe('here');
  expect((await gateway.get('/', 'bank.test')).body).toBe('object');
});

it('frees the memory of a tenant without contexts, and makes it anew', async () => {
  const names = Array.from({ length: 110 }, (_, at) => `t${at}`);
  const routes = Object.fromEntries(names.map((name) => [name, scripted(name, SAME)] as const));
  const tenants = names.map((name) => ({ name, hosts: [`${name}.test`] }));
  const gateway = await startTenants(routes, { trust: { tenants } });
  const ask = async (name: string): Promise<string> => (await gateway.get('/', `${name}.test`)).body;
  expect(await ask('t0')).toBe('object');
  const memory = memoryOf('t0');
  for (const name of names.slice(1)) expect(await ask(name)).toBe('object');
  await freed(memory);
  expect(await ask('t0')).toBe('string');
});
