import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { EchoBackend } from '../../support/backends/echo-backend.ts';
import { startTenants, type TenantRoute } from '../../support/gateways/tenant-gateway.ts';

const scripted = (tenant: string, source: string): TenantRoute => ({
  tenant,
  document: {
    condition: `\${request.uri.host == '${tenant}.test'}`,
    handler: { type: 'ScriptableHandler', config: { type: 'application/x-groovy', source } },
  } as JsonObject,
});

const trust = {
  tenants: [
    { name: 'shop', hosts: ['shop.test'] },
    { name: 'bank', hosts: ['bank.test'] },
  ],
};

it('keeps the globals of two tenants apart', async () => {
  const source = 'globals.n = (globals.n ?: 0) + 1; def r = new Response(Status.OK); r.entity = globals.n as String; r';
  const gateway = await startTenants({ a: scripted('shop', source), b: scripted('bank', source) }, { trust });
  expect(gateway.problems).toEqual([]);
  const bodies: string[] = [];
  for (const host of ['shop.test', 'shop.test', 'bank.test']) bodies.push((await gateway.get('/', host)).body);
  expect(bodies).toEqual(['1', '2', '1']);
});

it.each([
  ['a script', "System.getenv('PATH')"],
  ['a text that a script evaluates', 'evaluate(\'System.getenv("PATH")\')'],
  ['a script that a shell parses', 'new GroovyShell().parse(\'def f() { System.getenv("PATH") }\').f()'],
])('gives no environment to %s of a tenant', async (_title, read) => {
  const source = `def r = new Response(Status.OK); try { ${read} } catch (SecurityException e) { r.entity = 'none' }; r`;
  const gateway = await startTenants({ a: scripted('shop', source) }, { trust });
  expect((await gateway.get('/', 'shop.test')).body).toBe('none');
});

it.each([
  ['sends no request of a script to an address that its tenant may not reach', false, '403'],
  ['sends a request of a script to an address that its tenant may reach', true, '200'],
])('%s', async (_title, isAllowed, status) => {
  const seen: string[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    seen.push(request.url!);
    response.end('reached');
  });
  onTestFinished(() => backend.close());
  const source = [
    `def asked = new Request(); asked.method = 'GET'; asked.uri = '${backend.url}/own'`,
    'def r = new Response(Status.OK); r.entity = http.send(asked).get().status.code as String; r',
  ].join('\n');
  const egress = isAllowed ? [new URL(backend.url).host] : [];
  const gateway = await startTenants({ a: scripted('shop', source) }, { trust: { ...trust, egress } });
  expect((await gateway.get('/', 'shop.test')).body).toBe(status);
  expect(seen).toEqual(isAllowed ? ['/own'] : []);
});

it('answers other tenants while the script of one loops', async () => {
  const gateway = await startTenants(
    {
      a: scripted('shop', 'while (true) { }'),
      b: scripted('bank', "def r = new Response(Status.OK); r.entity = 'here'; r"),
    },
    { trust },
  );
  const loops = Array.from({ length: 20 }, () => gateway.get('/', 'shop.test'));
  const answers = await Promise.all(Array.from({ length: 20 }, () => gateway.get('/', 'bank.test')));
  expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['here']));
  expect(new Set((await Promise.all(loops)).map(({ status }) => status))).toEqual(new Set([500]));
  // after three runs the script is suspended
  const lines = gateway.log.filter((line) => line.includes('script exceeded its budget'));
  expect(lines.length).toBeLessThan(20);
});
