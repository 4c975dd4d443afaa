import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { EchoBackend } from '../../../support/backends/echo-backend.ts';
import { startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const script = (source: JsonValue): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'text/javascript', source },
});
const PASS = 'return next()';

it.each([
  ['an endless loop', 'for (;;);', 'time'],
  ['an endless loop that catches everything', 'for (;;) { try { for (;;); } catch {} finally { continue } }', 'time'],
  [
    'an endless loop in an asynchronous function',
    'for (;;) { try { await (async () => { for (;;); })() } catch {} }',
    'time',
  ],
  ['an endless loop behind the backend', 'await next(); for (;;);', 'time'],
  ['waits for nothing without end', 'for (;;) await null', 'time'],
  [
    'promises without end',
    'const f = () => { Promise.resolve().then(f).catch(f) }; f(); await new Promise(() => {})',
    'time',
  ],
  ['a pattern that backtracks', "/(a+)+b/.test('a'.repeat(60))", 'time'],
  ['a search that is quadratic', "for (;;) 'a'.repeat(4e6).indexOf('a'.repeat(2e6) + 'b')", 'time'],
  ['an array without elements', 'new Array(4294967295).forEach(() => {})', 'time'],
  ['an object that says it is long', 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)', 'time'],
  [
    'a proxy that says it is long',
    "Array.prototype.includes.call(new Proxy([], { get: (t, n) => n === 'length' ? 2 ** 53 - 1 : 0, has: () => true }), 1)",
    'time',
  ],
  ['copies of long texts', "const s = 'a'.repeat(4e6), t = 'a'.repeat(4e6); for (;;) (s + 1) === (t + 1)", 'time'],
  ['numbers that are large', 'let x = (1n << 400000n) - 1n; for (;;) x * x', 'time'],
  ['sorting', 'const a = Array.from({ length: 2e5 }, (_, i) => i * 7919 % 1e6); for (;;) a.slice().sort()', 'time'],
  ['a comparison that never ends', '[3, 1, 2].sort(() => { for (;;); })', 'time'],
  ['filling typed arrays', 'const a = new Uint8Array(1e7); for (;;) a.fill(1)', 'time'],
  ['text conversions', "const s = 'é'.repeat(1e6); for (;;) encodeURIComponent(s)", 'time'],
  ['code that is made of text', "new Function('for (;;);')()", 'time'],
  ['digests without end', "const s = 'x'.repeat(1e6); for (;;) crypto.digest('sha512', s)", 'time'],
  ['a getter of a header', "request.headers.set('X', { toString() { for (;;); } }); return next()", 'time'],
  ['a result that converts itself', 'return { toJSON() { for (;;); } }', 'time'],
  ['an array that grows', 'const a = []; for (;;) a.push(new Uint8Array(1e6))', 'memory'],
  ['a typed array that is large', 'return new Uint8Array(1e9)', 'memory'],
])('ends %s with 500', async (_title, source, limit) => {
  const { ask, counted, logged } = await startFiltered([script(source)]);
  expect(await ask('/')).toMatchObject({ status: 500, body: '' });
  expect(
    counted.filter(({ metric }) => metric === 'gw_script_exceeded_total').map(({ labels }) => labels['limit']),
  ).toEqual([limit]);
  expect(logged.filter(({ msg }) => msg === 'script exceeded its budget')).toHaveLength(1);
});

it.each([
  ['recursion without end', '(function f() { f() })()', 'InternalError: stack overflow'],
  ['nested JSON', "JSON.parse('['.repeat(1e5))", 'stack overflow'],
  ['a text that doubles', "let s = 'x'; for (;;) s += s", 'InternalError: string too long'],
])('turns %s into an exception of the script', async (_title, source, reason) => {
  const { ask, logged } = await startFiltered([script(source)]);
  expect((await ask('/')).status).toBe(500);
  expect(logged.find(({ msg }) => String(msg).startsWith('script failed: '))?.['msg']).toContain(reason);
});

it('serves the next request after each of them', async () => {
  const { ask } = await startFiltered([
    script([
      "if (request.uri.path === '/loop') for (;;);",
      "if (request.uri.path === '/native') new Array(4294967295).forEach(() => {})",
      "if (request.uri.path === '/memory') return new Uint8Array(1e9)",
      'globals.n = (globals.n ?? 0) + 1',
      'return new Response(200, { body: `${globals.n}` })',
    ]),
  ]);
  expect(await ask('/')).toMatchObject({ body: '1' });
  for (const path of ['/loop', '/native', '/memory']) {
    expect((await ask(path)).status).toBe(500);
    expect((await ask('/')).status).toBe(200);
  }
});

it('suspends a script that exceeds its budget again and again', async () => {
  const { ask, counted } = await startFiltered([script(["if (request.uri.path === '/loop') for (;;);", PASS])]);
  const named = (metric: string) => counted.filter((each) => each.metric === metric).length;
  for (let turn = 0; turn < 3; turn++) expect((await ask('/loop')).status).toBe(500);
  expect((await ask('/fine')).status).toBe(500);
  expect(named('gw_script_suspended_total')).toBe(1);
  await vi.waitFor(async () => expect((await ask('/fine')).status).toBe(200), { timeout: 20_000, interval: 100 });
});

it('suspends a script whose runs make others lose their memory', async () => {
  const held: ServerResponse[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (_, response) => void held.push(response));
  onTestFinished(() => backend.close());
  const { ask, logged } = await startFiltered([
    script([
      "if (request.uri.path === '/loop') new Array(4294967295).forEach(() => {})",
      `return new Response((await http.send('${backend.url}')).status)`,
    ]),
  ]);
  for (let turn = 1; turn <= 3; turn++) {
    const waiting = ask('/');
    await vi.waitFor(() => expect(held).toHaveLength(turn), { timeout: 20_000, interval: 5 });
    expect((await ask('/loop')).status).toBe(500);
    expect((await waiting).status).toBe(500);
  }
  expect(logged.map(({ msg }) => msg)).toContain('script exceeded its budget again; it is suspended');
  for (const response of held) response.end();
});

it('lets runs that wait go on when another one loops', async () => {
  const held: ServerResponse[] = [];
  const backend = await EchoBackend.start({ host: '127.0.0.1' }, (_, response) => void held.push(response));
  onTestFinished(() => backend.close());
  const { ask } = await startFiltered([
    script([
      "if (request.uri.path === '/loop') for (;;);",
      `const response = await http.send('${backend.url}')`,
      'return new Response(response.status)',
    ]),
  ]);
  const waiting = ask('/');
  await vi.waitFor(() => expect(held).toHaveLength(1), { timeout: 20_000, interval: 5 });
  expect((await ask('/loop')).status).toBe(500);
  held[0]!.writeHead(201).end();
  expect((await waiting).status).toBe(201);
});

it.each([
  ["request.headers.set('X-A', 'a\\r\\nX-B: b')"],
  ["request.headers.set('X-A\\r\\nX-B', 'a')"],
  ["request.headers.set('X A', 'a')"],
  ["request.method = 'GET / HTTP/1.1\\r\\nX-B: b\\r\\n'"],
  ["request.method = 'CONNECT'"],
  ["request.uri.rawPath = '/a/../../b'"],
  ["request.headers.set('Host', 'a b')"],
])('does not send a request with %s', async (source) => {
  const { ask, seen } = await startFiltered([script(`${source}\n${PASS}`)]);
  expect((await ask('/')).status).toBe(500);
  expect(seen).toEqual([]);
});

it.each([
  ["response.headers.set('X-A', 'a\\r\\nX-B: b')"],
  ["response.reason = 'OK\\r\\nX-B: b'"],
  ['response.status = 100'],
  ['response.status = 2.5'],
  ["response.status = 'x'"],
])('does not send a response with %s', async (source) => {
  const { ask } = await startFiltered([script(`const response = await next()\n${source}\nreturn response`)]);
  const answer = await ask('/');
  expect(answer.status).toBe(500);
  expect(answer.values('x-b')).toEqual([]);
});

it('frames messages itself, whatever headers a script sets', async () => {
  const { ask, seen } = await startFiltered([
    script([
      "request.headers.set('Transfer-Encoding', 'chunked')",
      "request.headers.set('Content-Length', '3')",
      "const r = await next(); r.headers.set('Content-Length', '1'); return r",
    ]),
  ]);
  const answer = await ask('/?entity=whole', { method: 'POST', body: 'content' });
  expect(answer).toMatchObject({ status: 200, body: 'whole' });
  expect(seen[0]).toMatchObject({ body: 'content' });
});

it('shows a script nothing of the process', async () => {
  const { ask } = await startFiltered([
    script([
      "const names = ['process', 'require', 'module', 'Buffer', 'fetch', 'setTimeout', 'WebAssembly', 'Atomics', 'host', 'std', 'os']",
      "const imported = await import('os').then(() => 'os', () => 'none')",
      'const outer = new Function("return typeof process + typeof host")()',
      'return new Response(200, { body: names.filter((name) => name in globalThis).join() + imported + outer })',
    ]),
  ]);
  expect(await ask('/')).toMatchObject({ status: 200, body: 'noneundefinedundefined' });
});

it('keeps messages of one request from others', async () => {
  const { ask } = await startFiltered([
    script(['if (globals.kept) return globals.kept', 'globals.kept = await next()', 'return globals.kept']),
  ]);
  expect((await ask('/')).status).toBe(200);
  expect((await ask('/')).status).toBe(500);
});

it('clears globals that grow without end', async () => {
  const { ask, logged } = await startFiltered([
    script("globals[crypto.randomUUID()] = 'x'.repeat(1e5).toUpperCase()\nreturn new Response(200)"),
  ]);
  const cleared = () => logged.some(({ msg }) => msg === 'globals and static fields of a script were cleared');
  for (let turn = 0; turn < 1200 && !cleared(); turn++) expect((await ask('/')).status).toBe(200);
  expect(cleared()).toBe(true);
});

it('limits the lines that one run logs', async () => {
  const { ask, logged } = await startFiltered([script(`for (let i = 0; i < 300; i++) logger.info('again')\n${PASS}`)]);
  await ask('/');
  expect(logged.filter(({ msg }) => msg === 'again')).toHaveLength(100);
});
