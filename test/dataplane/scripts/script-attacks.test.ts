import { expect, it, vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { startConfigured } from '../../support/gateways/configured-gateway.ts';
import { startFiltered } from '../../support/gateways/filtered-gateway.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

const groovy = (source: JsonValue, more: JsonObject = {}): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'application/x-groovy', source, ...more },
});
const PASS = 'next.handle(context, request)';

it.each([
  ['an endless loop', 'while (true) { }', 'time'],
  [
    'an endless loop that catches everything',
    'while (true) { try { while (true) { } } catch (Throwable t) { } finally { continue } }',
    'time',
  ],
  ['an endless loop behind the backend', `${PASS}.then { while (true) { } }`, 'time'],
  ['an endless loop in thenOnResult', `${PASS}.thenOnResult { while (true) { } }`, 'time'],
  ['an endless loop after a wait', 'Thread.sleep(1); while (true) { }', 'time'],
  ['waits without end that work in between', 'while (true) { Thread.sleep(0); 20000.times { } }', 'time'],
])('ends %s with 500', async (_title, source, limit) => {
  expect(await exceeded(source)).toBe(limit);
});

// a slow machine takes the time before the memory
it.each([
  ['a string that doubles', "def s = 'x'; while (true) { s += s }"],
  ['a list that grows', 'def l = [1]; while (true) { l += l }'],
])('ends %s with 500', async (_title, source) => {
  expect(await exceeded(source)).toBeOneOf(['memory', 'time']);
});

/** The limit that a script exceeds, of which the metric and the log tell the same. */
async function exceeded(source: string): Promise<unknown> {
  const { ask, counted, logged } = await startFiltered([groovy(source)]);
  expect(await ask('/')).toMatchObject({ status: 500, body: '' });
  const limits = counted
    .filter(({ metric }) => metric === 'gw_script_exceeded_total')
    .map(({ labels }) => labels['limit']);
  expect(limits).toHaveLength(1);
  const [limit] = limits;
  const lines = logged.filter(({ msg }) => msg === 'script exceeded its budget');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ limit, object: expect.stringContaining('ScriptableFilter') });
  return limit;
}

it('suspends a script that exceeds its budget again and again', async () => {
  const { ask, counted, logged } = await startFiltered([
    groovy(`if (request.uri.path == '/loop') while (true) { }\n${PASS}`),
  ]);
  const named = (metric: string) => counted.filter((each) => each.metric === metric).length;
  for (let turn = 0; turn < 3; turn++) expect((await ask('/loop')).status).toBe(500);
  expect(named('gw_script_exceeded_total')).toBe(3);
  expect(logged.some(({ msg }) => msg === 'script exceeded its budget again; it is suspended')).toBe(true);
  expect((await ask('/fine')).status).toBe(500);
  expect(named('gw_script_suspended_total')).toBe(1);
  expect(named('gw_script_exceeded_total')).toBe(3);
  await vi.waitFor(async () => expect((await ask('/fine')).status).toBe(200), { timeout: 20_000, interval: 100 });
});

it('lets other requests through between two waits of a script', async () => {
  const { ask } = await startFiltered([
    groovy(`if (request.uri.path == '/slow') { 40.times { 1000.times { }; Thread.sleep(1) } }\n${PASS}`),
  ]);
  const order: string[] = [];
  const slow = ask('/slow').then(() => order.push('slow'));
  await ask('/quick').then(() => order.push('quick'));
  await slow;
  expect(order).toEqual(['quick', 'slow']);
});

it('ends a closure in globals with the budget of the request that calls it', async () => {
  const { ask } = await startFiltered([
    groovy(`if (globals.f) globals.f() else globals.f = { while (true) { } }\n${PASS}`),
  ]);
  expect((await ask('/')).status).toBe(200);
  expect((await ask('/')).status).toBe(500);
});

it.each([
  ['a class of a text', "Eval.me('class A { }; A')"],
  ['an array of such a class', "Eval.me('class A { }; new A[0]')"],
  ['an object of such a class', "Eval.me('class A { }; new A()')"],
  ['a list of such a class', "Eval.me('class A extends ArrayList { }; new A()')"],
  ['an object of a class without a name', "Eval.me('class A { static f() { new Object() { } } }; A.f()')"],
  ['a script', "new GroovyShell().parse('1')"],
  ['a shell', 'new GroovyShell()'],
  ['a binding', 'new Binding()'],
])('clears globals that hold %s', async (_title, value) => {
  const { ask, logged } = await startFiltered([groovy(`globals.x = ${value}; 'x' * 1500000\n${PASS}`)]);
  for (let turn = 0; turn < 3; turn++) expect((await ask('/')).status).toBe(200);
  expect(logged).toContainEqual(
    expect.objectContaining({
      msg: 'globals and static fields of a script were cleared',
      reason: expect.stringMatching(/^they hold a .*, whose size is not known$/),
    }),
  );
});

it.each([
  ['ever new texts', 'for (i in 0..1000000) evaluate("1 + $i")'],
  ['a loop in a text', "evaluate('while (true) { }')"],
])('ends %s with 500', async (_title, source) => {
  expect(await exceeded(source)).toBeOneOf(['memory', 'time']);
});

it('clears globals that grow without end', async () => {
  const { ask, logged } = await startFiltered([
    groovy(`globals[UUID.randomUUID().toString()] = 'x' * 1000000\n${PASS}`),
  ]);
  for (let turn = 0; turn < 12; turn++) expect((await ask('/')).status).toBe(200);
  expect(logged.some(({ msg }) => msg === 'globals and static fields of a script were cleared')).toBe(true);
});

it('limits the lines that one run logs', async () => {
  const { ask, logged } = await startFiltered([groovy(`300.times { logger.info('again') }\n${PASS}`)]);
  await ask('/');
  expect(logged.filter(({ msg }) => msg === 'again')).toHaveLength(100);
});

it.each([
  ["request.headers['X-A'] = 'a\\r\\nX-B: b'"],
  ["request.headers['X-A\\r\\nX-B'] = 'a'"],
  ["request.headers['X A'] = 'a'"],
  ["request.method = 'GET / HTTP/1.1\\r\\nX-B: b\\r\\n'"],
  ["request.method = 'CONNECT'"],
  ["request.uri.rawPath = '/a/../../b'"],
  ["request.headers['Host'] = 'a b'"],
])('does not send a request with %s', async (source) => {
  const { ask, seen, logged } = await startFiltered([groovy(`${source}\n${PASS}`)]);
  expect((await ask('/')).status).toBe(500);
  expect(seen).toEqual([]);
  expect(logged.some(({ msg }) => String(msg).startsWith('script failed: '))).toBe(true);
});

it.each([
  ["response.headers['X-A'] = 'a\\r\\nX-B: b'"],
  ["response.status = Status.valueOf(299, 'OK\\r\\nX-B: b')"],
  ['response.status = Status.CONTINUE'],
])('does not send a response with %s', async (source) => {
  const { ask } = await startFiltered([groovy(`${PASS}.then { response -> ${source}; response }`)]);
  const answer = await ask('/');
  expect(answer.status).toBe(500);
  expect(answer.values('x-b')).toEqual([]);
});

it('frames messages itself, whatever headers a script sets', async () => {
  const { ask, seen } = await startFiltered([
    groovy([
      "request.headers['Transfer-Encoding'] = 'chunked'",
      "request.headers['Content-Length'] = '3'",
      "request.headers['Connection'] = 'X-Kept'",
      "next.handle(context, request).then { r -> r.headers['Content-Length'] = '1'; r.headers['Transfer-Encoding'] = 'gzip'; r }",
    ]),
  ]);
  const answer = await ask('/?entity=whole', { method: 'POST', body: 'content', headers: ['X-Kept: k'] });
  expect(answer).toMatchObject({ status: 200, body: 'whole' });
  expect(seen[0]).toMatchObject({ body: 'content' });
  const names = seen[0]!.headers.map(([name]) => name);
  expect(names).toContain('x-kept');
  expect(names).not.toContain('transfer-encoding');
});

it.each([["asked.method = 'GET / HTTP/1.1\\r\\nX-B: b\\r\\n'"], ["asked.headers['X-A'] = 'a\\r\\nX-B: b'"]])(
  'does not send a request of its own with %s',
  async (source) => {
    const { ask, seen } = await startFiltered([
      groovy([
        "def asked = new Request(); asked.method = 'GET'; asked.uri = 'http://app.test/'",
        source,
        'http.send(asked).then { new Response(Status.OK) }',
      ]),
    ]);
    await ask('/');
    expect(seen).toEqual([]);
  },
);

it('gives the environment to scripts of operators', async () => {
  const reach = {
    ...operatorReach(),
    env: (name: string) => (name === 'COLOR' ? 'red' : undefined),
    envNames: () => ['COLOR'],
  };
  const { ask } = await startFiltered(
    [groovy("def r = new Response(Status.OK); r.entity = System.getenv('COLOR') + System.getenv('OTHER'); r")],
    undefined,
    { reach },
  );
  expect(await ask('/')).toMatchObject({ body: 'rednull' });
});

it.each(["System.getenv('PATH')", 'System.getenv()', "System.getProperty('user.home')"])(
  'does not give a tenant %s',
  async (source) => {
    const { configuration, ...gateway } = await tenantGateway(source);
    expect((await fetch(gateway.url)).status).toBe(500);
    await gateway.close();
    expect(gateway.logged.some(({ msg }) => String(msg).includes('java.lang.SecurityException'))).toBe(true);
  },
);

async function tenantGateway(source: string) {
  const reach = { ...operatorReach(), origin: 'tenant' as const };
  const handler = {
    type: 'ScriptableHandler',
    config: { type: 'application/x-groovy', source: [source, 'new Response(Status.OK)'] },
  };
  return startConfigured({ handler }, { reach });
}

it('keeps globals of two objects apart', async () => {
  const count = "globals.n = (globals.n ?: 0) + 1; request.headers.add('X-N', globals.n as String)\n";
  const { ask, seen } = await startFiltered([groovy(count + PASS), groovy(count + PASS)]);
  await ask('/');
  expect(seen[0]!.headers.filter(([name]) => name === 'x-n').map(([, value]) => value)).toEqual(['1', '1']);
});
