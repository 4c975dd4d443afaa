import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { type FilteredGateway, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

const script = (source: JsonValue): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'text/javascript', source },
});

const failure = ({ logged }: FilteredGateway): string =>
  String(logged.find(({ msg }) => String(msg).startsWith('script failed: '))?.['msg']);

it.each([
  ['headers without end', 'new Response(200, { headers: { *[Symbol.iterator]() { for (;;) yield ["a", "b"] } } })'],
  ['parameters without end', 'new URLSearchParams({ *[Symbol.iterator]() { for (;;) yield ["a", "b"] } })'],
  ['a generator that is spread', '[...(function* () { for (;;) yield 1 })()]'],
  ['an asynchronous generator', 'async function* g() { for (;;) yield 1 } for await (const x of g());'],
  ['the end of a generator', 'function* g() { try { yield 1 } finally { for (;;); } } for (const x of g()) break'],
  ['a result with a method then', 'return { then() { for (;;); } }'],
  ['a result with a getter then', 'return { get then() { for (;;); } }'],
  ['a result with a getter', 'return { get requests() { for (;;); } }'],
  ['a result that is a proxy', 'return new Proxy({}, { get() { for (;;); } })'],
  ['an exception that converts itself', 'throw { toJSON() { for (;;); } }'],
  ['an exception that is a proxy', 'throw new Proxy({}, { get() { for (;;); }, getPrototypeOf() { for (;;); } })'],
  ['an exception with a getter', 'throw Object.defineProperty(new Error(), "name", { get() { for (;;); } })'],
  ['an exception with a stack', 'throw Object.defineProperty(new Error(), "stack", { get() { for (;;); } })'],
  ['a log line that converts itself', 'logger.info({ toJSON() { for (;;); } })'],
  ['attributes with a getter', 'Object.defineProperty(attributes, "a", { enumerable: true, get() { for (;;); } })'],
  ['promises that pile up', 'const all = []; for (;;) all.push(new Promise(() => {}).then(() => 1))'],
  ['functions that call themselves twice', 'const f = async () => { f(); f() }; f(); await new Promise(() => {})'],
  ['bytes that are moved', 'const a = new Uint8Array(1e7); for (;;) a.copyWithin(1, 0)'],
  [
    'typed arrays that are sorted',
    'const a = new Float64Array(1e6).map((_, i) => (i * 7919) % 1e6); for (;;) a.slice().sort()',
  ],
  ['texts that are normalized', 'const s = "\\u1E9B\\u0323".repeat(5e5); for (;;) s.normalize("NFKD")'],
  ['a pattern that replaces', '"a".repeat(1e5).replace(/(a*)*b/g, "")'],
  [
    'a pattern that is long',
    'for (;;) new RegExp("[" + Array.from({ length: 2e4 }, (_, i) => String.fromCharCode(i * 2 + 200)).join("") + "]")',
  ],
  ['an array that is joined', 'Array(2 ** 31).join("x")'],
  ['a power', '3n ** 10000000n'],
  ['a number that is written', 'for (;;) (3n ** 200000n).toString()'],
  ['a long function', 'new Function("a".repeat(2e6)); for (;;);'],
  ['symbols', 'const all = []; for (let i = 0; ; i++) all.push(Symbol.for("a" + i))'],
  ['encodings', 'const s = "\\ud800".repeat(5e5); for (;;) utf8.encode(s)'],
])('ends %s with 500', async (_title, source) => {
  const { ask, counted } = await startFiltered([script(source)]);
  expect((await ask('/')).status).toBe(500);
  const limits = counted.filter(({ metric }) => metric === 'gw_script_exceeded_total');
  expect(limits).toHaveLength(1);
});

it.each([
  ['a number with too many bits', '1n << 2n ** 31n', /too large/],
  ['a text that is too long', '"a".padEnd(2 ** 30)', /string length/],
  ['a buffer that grows', 'new ArrayBuffer(8, { maxByteLength: 2 ** 31 }).resize(2 ** 31 - 8)', /./],
  ['a pattern with many groups', 'new RegExp("(".repeat(1e5))', /./],
  ['many arguments', 'Math.max(...new Array(1e5).fill(1))', /too many arguments/],
  ['null', 'throw null', /thrown: null/],
  ['a symbol', 'throw Symbol("a")', /thrown: Symbol/],
  ['an exception without a text', 'throw { get toJSON() { throw 1 } }', /exception without a text/],
  ['a line that is false', 'throw Object.assign(new Error("x"), { stack: "script:9e9:1 script:-1:2" })', /Error: x/],
  ['more than 100 requests', 'await Promise.all(Array.from({ length: 150 }, () => next()))', /already|at most/],
])('turns %s into an exception', async (_title, source, reason) => {
  const gateway = await startFiltered([script(source)]);
  expect((await gateway.ask('/')).status).toBe(500);
  expect(failure(gateway)).toMatch(reason);
});

const NESTED = 'let a = []; for (let i = 0; i < 2e4; i++) a = [a]';

// which limit comes first, that of the stack or that of time, depends on the machine
it.each([
  ['a result', 'return a'],
  ['an attribute', 'attributes.a = a'],
])('ends %s that is nested, by an exception or a limit', async (_title, use) => {
  const gateway = await startFiltered([script(`${NESTED}; ${use}`)]);
  expect((await gateway.ask('/')).status).toBe(500);
  const exceeded = gateway.counted.some(({ metric }) => metric === 'gw_script_exceeded_total');
  if (!exceeded) expect(failure(gateway)).toMatch(/stack|circular/);
});

it.each([
  ['attributes', 'attributes.x = new Array(3e4).fill(0)'],
  ['attributes with empty objects', 'attributes.x = new Array(3e4).fill({})'],
  ['a result', 'return new Array(3e4).fill(0)'],
])('takes no flood of values as %s', async (_title, source) => {
  const gateway = await startFiltered([script(source)]);
  expect((await gateway.ask('/')).status).toBe(500);
  expect(failure(gateway)).toContain('a script hands over at most 20000 values at a time');
});

it('takes a long text with many commas as an attribute', async () => {
  const { ask } = await startFiltered([
    script("attributes.x = 'a,\"[{\\\\'.repeat(1e5); return next()"),
    script('return new Response(200, { body: String(attributes.x.length) })'),
  ]);
  expect(await ask('/')).toMatchObject({ status: 200, body: '600000' });
});

it('has no other global names', async () => {
  const { ask } = await startFiltered([
    script('return new Response(200, { body: Object.getOwnPropertyNames(globalThis).sort().join(" ") })'),
  ]);
  expect((await ask('/')).body).toMatchInlineSnapshot(
    `"AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array Function Headers Infinity Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Request Response Set SharedArrayBuffer String Symbol SyntaxError TypeError URIError URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray Uri WeakMap WeakRef WeakSet base64 crypto decodeURI decodeURIComponent encodeURI encodeURIComponent environment escape eval globalThis isFinite isNaN parseFloat parseInt undefined unescape utf8"`,
  );
});

it('leaves nothing behind on objects that runs share', async () => {
  const { ask } = await startFiltered([
    script([
      "const found = [Object.prototype, Array.prototype, Response, Request.prototype, JSON, Promise, globalThis].map((o) => o.left ?? 'none')",
      'for (const o of [Object.prototype, Array.prototype, Response, Request.prototype, JSON, Promise, globalThis])',
      "  try { o.left = 'left'; Object.defineProperty(o, 'left', { value: 'left' }) } catch {}",
      'try { Array.prototype.map = null } catch {}',
      "try { Error.prepareStackTrace = () => 'mine' } catch {}",
      "return new Response(200, { body: found.join() + (new Error().stack === 'mine') })",
    ]),
  ]);
  for (let turn = 0; turn < 2; turn++) expect((await ask('/')).body).toBe(`${Array(7).fill('none').join()}false`);
});

it('gives the objects of the gateway to nobody else', async () => {
  const { ask } = await startFiltered([
    script([
      'const tried = [logger, http, request.entity].map((object) => {',
      "  try { new object.constructor({ run: 1 }, { run: 1 }, 0); return 'made' } catch (e) { return e.name }",
      '})',
      "try { Response.prototype.status.call({}); tried.push('read') } catch (e) { tried.push(e.name) }",
      "try { Object.create(Request.prototype).method; tried.push('read') } catch (e) { tried.push(e.name) }",
      'return new Response(200, { body: tried.join() + Object.getOwnPropertySymbols(Request).length })',
    ]),
  ]);
  expect((await ask('/')).body).toBe('TypeError,TypeError,TypeError,TypeError,TypeError0');
});

it('drops globals that cannot be kept', async () => {
  const { ask } = await startFiltered([
    script([
      "if (request.uri.path === '/loop') for (;;);",
      'const known = Object.keys(globals).length',
      'globals.a = { toJSON() { for (;;); } }',
      'return new Response(200, { body: String(known) })',
    ]),
  ]);
  expect((await ask('/')).body).toBe('0');
  expect((await ask('/')).body).toBe('1');
  expect((await ask('/loop')).status).toBe(500);
  expect((await ask('/')).body).toBe('0');
});

it.each([
  [
    'a letter whose last byte is a line feed',
    "request.headers.set('X-A', 'a\\u010aX-B: b\\u560dX-C: c'); return next()",
  ],
  ['a header of a new request', "return http.send('http://app.test/', { headers: { 'X-A': 'a\\r\\nX-B: b' } })"],
  ['a name of a new request', "return http.send('http://app.test/', { headers: { 'X-A: a\\r\\nX-B': 'b' } })"],
  ['a URI', "return http.send('http://app.test/ HTTP/1.1\\r\\nX-B: b\\r\\n')"],
  ['a path', "request.uri.rawPath = '/a HTTP/1.1\\r\\nX-B: b\\r\\n'; return next()"],
  ['a query', "request.uri.rawQuery = 'a HTTP/1.1\\r\\nX-B: b\\r\\n'; return next()"],
  ['an authority', "request.uri.authority = 'app.test\\r\\nX-B: b'; return next()"],
  ['a method', "return http.send('http://app.test/', { method: 'GET / HTTP/1.1\\r\\nX-B: b\\r\\n\\r\\nGET' })"],
  ['an array of values', "request.headers.set('X-A', ['a', 'b\\nX-B: b']); return next()"],
  ['an object', "request.headers.set('X-A', { toString: () => 'a\\nX-B: b' }); return next()"],
  ['a cookie', "return new Response(200, { headers: { 'Set-Cookie': 'a=b\\r\\nX-B: b' } })"],
])('smuggles no header in %s', async (_title, source) => {
  const { ask, seen } = await startFiltered([script(source)]);
  const answer = await ask('/');
  expect(answer.values('x-b')).toEqual([]);
  expect(seen.flatMap(({ headers }) => headers.map(([name]) => name))).not.toContain('x-b');
});

it('owns the headers between two connections', async () => {
  const { ask, seen } = await startFiltered([
    script([
      "const own = { Connection: 'close, X-Kept', 'Keep-Alive': 'timeout=1', 'Proxy-Connection': 'close', Upgrade: 'h2c', TE: 'trailers, deflate' }",
      'for (const [name, value] of Object.entries(own)) request.headers.set(name, value)',
      "request.headers.set('X-Kept', 'yes')",
      'const response = await next()',
      'for (const [name, value] of Object.entries(own)) response.headers.set(name, value)',
      'return response',
    ]),
  ]);
  const answer = await ask('/');
  expect(answer.status).toBe(200);
  const sent = Object.fromEntries(seen[0]!.headers);
  expect(sent).toMatchObject({ 'x-kept': 'yes' });
  for (const name of ['keep-alive', 'proxy-connection', 'upgrade']) {
    expect(sent).not.toHaveProperty(name);
    expect(answer.values(name)).toEqual([]);
  }
  expect(sent['connection'] ?? '').not.toContain('X-Kept');
});
