import { beforeAll, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { catalogue } from '../../../../dataplane/catalogue/catalogue.ts';
import { loadAllParts } from '../../../../dataplane/heap/named-parts.ts';
import { problemsOf, startFiltered } from '../../../support/gateways/filtered-gateway.ts';

beforeAll(() => loadAllParts(catalogue));

const script = (source: JsonValue, more: JsonObject = {}): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'application/javascript', source, ...more },
});

const one = (seen: readonly { readonly headers: readonly (readonly [string, string])[] }[], name: string): string[] =>
  seen[0]!.headers.filter(([each]) => each === name).map(([, value]) => value);

it('changes the request and the response', async () => {
  const { ask, seen } = await startFiltered([
    script([
      "request.headers.set('X-User', contexts.client.remoteAddress)",
      "request.headers.add('X-Many', 'a')",
      "request.headers.add('X-Many', 'b')",
      "request.headers.delete('X-Secret')",
      "request.uri.path = '/moved to'",
      'const response = await next(request)',
      "response.headers.set('X-Status', response.status)",
      "response.headers.delete('X-Backend')",
      'return response',
    ]),
  ]);
  const answer = await ask('/first?h.x-backend=1&entity=hello', { headers: ['X-Secret: s', 'X-Kept: k'] });
  expect(answer).toMatchObject({ status: 200, body: 'hello' });
  expect(answer.values('x-status')).toEqual(['200']);
  expect(answer.values('x-backend')).toEqual([]);
  expect(seen[0]!.url).toBe('/moved%20to?h.x-backend=1&entity=hello');
  expect(one(seen, 'x-user')).toEqual(['127.0.0.1']);
  expect(one(seen, 'x-many')).toEqual(['a', 'b']);
  expect(one(seen, 'x-secret')).toEqual([]);
  expect(one(seen, 'x-kept')).toEqual(['k']);
});

it('answers without the backend', async () => {
  const { ask, seen } = await startFiltered([
    script("return new Response(403, { body: { path: request.uri.path, q: request.queryParams.get('a') } })"),
  ]);
  const answer = await ask('/x?a=1%202');
  expect(answer).toMatchObject({ status: 403, body: '{"path":"/x","q":"1 2"}' });
  expect(answer.values('content-type')).toEqual(['application/json; charset=UTF-8']);
  expect(seen).toEqual([]);
});

it('reads and replaces the content of both messages', async () => {
  const { ask, seen } = await startFiltered([
    script([
      'const body = await request.entity.json()',
      "body.extra = 'ü'",
      'request.entity = body',
      'const response = await next()',
      "response.entity = (await response.entity.text()) + '!'",
      'return response',
    ]),
  ]);
  const headers = ['Content-Type: application/json'];
  expect(await ask('/?entity=done', { method: 'POST', headers, body: '{"a":[1,2]}' })).toMatchObject({ body: 'done!' });
  expect(seen[0]!.body).toBe('{"a":[1,2],"extra":"ü"}');
  expect(one(seen, 'content-length')).toEqual([String(seen[0]!.content.length)]);
});

it('reads and writes bytes, zeros included', async () => {
  const { ask, seen } = await startFiltered([
    script([
      'const bytes = await request.entity.bytes()',
      'request.entity = Uint8Array.from(bytes, (byte) => 255 - byte)',
      "request.headers.set('X-Length', bytes.length + ' ' + bytes[1])",
      'return next(request)',
    ]),
  ]);
  await ask('/', { method: 'POST', body: 'a\0b' });
  expect([...seen[0]!.content]).toEqual([158, 255, 157]);
  expect(one(seen, 'x-length')).toEqual(['3 0']);
});

it.each([
  [['text/plain'], 'a\0b'],
  [['text/plain; charset=nope'], 'a'],
  [['text/plain; charset=utf-16'], 'a'],
  [['text/plain; charset=utf-8; charset=iso-8859-1'], 'a'],
  [['text/plain; charset="utf-8'], 'a'],
  [['text/xml; charset=utf-8'], '<?xml version="1.0" encoding="iso-8859-1"?><a/>'],
  [['text/plain', 'text/plain'], 'a'],
])('reads no text of the type %j with the content %j that a backend may read otherwise', async (types, body) => {
  const { ask, seen } = await startFiltered([script('await request.entity.text(); return next()')]);
  const headers = types.map((type) => `Content-Type: ${type}`);
  expect((await ask('/', { method: 'POST', headers, body })).status).toBe(415);
  expect(seen).toEqual([]);
});

it('reads text in the charset that the type names, also of own calls', async () => {
  const { ask } = await startFiltered([
    script([
      "const called = await http.send('http://app.test/?h.content-type=text/plain%3Bcharset%3Dnope&entity=x')",
      'let reason = null',
      'try { await called.entity.text() } catch (error) { reason = error.message }',
      'return new Response(200, { body: { text: await request.entity.text(), reason } })',
    ]),
  ]);
  const headers = ['Content-Type: text/plain; charset=iso-8859-1'];
  const answer = await ask('/', { method: 'POST', headers, body: 'ü' });
  expect(answer.status).toBe(200);
  const reason = 'the body cannot be decoded: its charset is not known';
  expect(JSON.parse(answer.body)).toEqual({ text: 'Ã¼', reason });
});

it('passes content on that the script does not touch', async () => {
  const { ask, seen } = await startFiltered([script('return next()')]);
  const body = 'x'.repeat(3_000_000);
  expect(await ask('/?entity=same', { method: 'POST', body })).toMatchObject({ status: 200, body: 'same' });
  expect(seen[0]!.content.length).toBe(3_000_000);
});

it('answers 413 for content that is too long to be read', async () => {
  const { ask } = await startFiltered([script('await request.entity.text(); return next()')]);
  expect((await ask('/', { method: 'POST', body: 'x'.repeat(3_000_000) })).status).toBe(413);
});

it('reads cookies, forms and query parameters', async () => {
  const { ask } = await startFiltered([
    script([
      'const form = await request.entity.form()',
      "request.queryParams.append('more', 'a b')",
      "return new Response(200, { body: [form.get('user'), request.cookies.sid, request.uri.rawQuery].join(' ') })",
    ]),
  ]);
  const headers = ['Content-Type: application/x-www-form-urlencoded', 'Cookie: a=1; sid="x y"; sid=2'];
  const answer = await ask('/?q=1', { method: 'POST', headers, body: 'user=anna+b' });
  expect(answer).toMatchObject({ body: 'anna b x y q=1&more=a+b' });
});

it('shares attributes with expressions and other scripts', async () => {
  const { ask, seen } = await startFiltered([
    script("attributes.user = { name: 'anna', roles: ['a', 'b'] }; return next()"),
    {
      type: 'ScriptableFilter',
      config: { type: 'application/x-groovy', source: "attributes.user.roles << 'c'; next.handle(context, request)" },
    },
    script("attributes.user.roles.push('d'); delete attributes.gone; return next()"),
    {
      type: 'HeaderFilter',
      config: {
        messageType: 'REQUEST',
        add: { 'X-User': ['${attributes.user.name} ${attributes.user.roles[2]} ${attributes.user.roles[3]}'] },
      },
    },
  ]);
  await ask('/');
  expect(one(seen, 'x-user')).toEqual(['anna c d']);
});

it('sees attributes that the rest of the chain set', async () => {
  const { ask } = await startFiltered([
    script("const r = await next(); r.headers.set('X-Seen', attributes.late); return r"),
    script("attributes.late = 'yes'; return next()"),
  ]);
  expect((await ask('/')).values('x-seen')).toEqual(['yes']);
});

it('gets arguments and properties as variables', async () => {
  const { ask } = await startFiltered(
    [
      script("'use strict'; const sum2 = sum; return new Response(200, { body: `${list[1]} ${sum2} ${color}` })", {
        args: { list: [1, 'two'], sum: '${1 + 2}' },
      }),
    ],
    undefined,
    { document: { properties: { color: 'red', 'not-a-name': 1, class: 2 } } },
  );
  expect(await ask('/')).toMatchObject({ body: 'two 3 red' });
});

it('keeps its own objects where a property has the name of one', async () => {
  const source = 'return new Response(200, { body: request.uri.path + crypto.randomUUID().length })';
  const { ask } = await startFiltered([script(source)], undefined, {
    document: { properties: { Response: 1, crypto: 2, request: 3 } },
  });
  expect(await ask('/a')).toMatchObject({ status: 200, body: '/a36' });
});

it.each([
  ['an escaped name', 'return new Response(200, { body: String(\\u0061ttributes.x) })'],
  ['eval', "return new Response(200, { body: String(eval('attrib' + 'utes').x) })"],
  ['a context by its name', "return new Response(200, { body: String(contexts['attrib' + 'utes'].attributes.x) })"],
  [
    'contexts as a whole',
    "const all = contexts; return new Response(200, { body: String(all['attrib' + 'utes'].attributes.x) })",
  ],
])('finds attributes by %s', async (_title, source) => {
  const { ask } = await startFiltered([script("attributes.x = 'set'; return next()"), script(source)]);
  expect(await ask('/')).toMatchObject({ status: 200, body: 'set' });
});

it('lets a script declare a variable with the name of one of the gateway', async () => {
  const { ask } = await startFiltered([script('const session = 5; return new Response(200, { body: `${session}` })')]);
  expect(await ask('/')).toMatchObject({ body: '5' });
});

it('sends requests of its own', async () => {
  const { ask, seen } = await startFiltered([
    script([
      "const made = new Request('POST', 'http://app.test/own?entity=inner', { headers: { 'X-A': ['1', '2'] }, body: 'sent' })",
      'const own = await http.send(made)',
      "const both = await Promise.all([http.send('http://app.test/x?entity=1'), http.send('http://app.test/y?entity=2')])",
      'const texts = await Promise.all(both.map((each) => each.entity.text()))',
      "return new Response(own.status, { body: (await own.entity.text()) + texts.join('') })",
    ]),
  ]);
  expect(await ask('/')).toMatchObject({ status: 200, body: 'inner12' });
  expect(seen[0]).toMatchObject({ url: '/own?entity=inner', body: 'sent' });
  expect(one(seen, 'x-a')).toEqual(['1, 2']);
});

it.each([
  ['null', 'return null', 404],
  ['nothing', '', 404],
  ['another value', 'return 5', 500],
  ['an exception', "throw new Error('no')", 500],
  ['a promise that never completes', 'await new Promise(() => {})', 500],
  ['a request', 'return request', 500],
])('answers %s', async (_title, source, status) => {
  const { ask } = await startFiltered([script(source)]);
  expect((await ask('/')).status).toBe(status);
});

it('logs an exception with its place', async () => {
  const { ask, logged } = await startFiltered([script(['const a = null', '', 'return  a.b.c'])]);
  expect((await ask('/')).status).toBe(500);
  const line = logged.find(({ msg }) => String(msg).startsWith('script failed: '));
  expect(line?.['msg']).toBe("script failed: TypeError: cannot read property 'b' of null");
  expect(line).toMatchObject({ line: 3 });
});

it('logs values of all kinds', async () => {
  const { ask, logged } = await startFiltered([
    script("logger.warn('count', { a: [1] }, new Error('e')); return next()"),
  ]);
  await ask('/');
  const line = logged.find(({ msg }) => String(msg).startsWith('count'));
  expect(line?.['msg']).toMatch(/^count \{"a":\[1\]\} Error: e$/);
  expect(line).toHaveProperty('level', 40);
});

it('counts in globals, and forgets everything else', async () => {
  const { ask } = await startFiltered([
    script([
      'globals.n = (globals.n ?? 0) + 1',
      'let left = 0',
      'for (const change of [() => { globalThis.x = 1 }, () => { Array.prototype.x = 1 }, () => { Response.x = 1 }])',
      '  try { change() } catch { left++ }',
      'return new Response(200, { body: `${globals.n} ${left} ${typeof x}` })',
    ]),
  ]);
  expect(await ask('/')).toMatchObject({ body: '1 3 undefined' });
  expect(await ask('/')).toMatchObject({ body: '2 3 undefined' });
});

it('has digests and encodings', async () => {
  const { ask } = await startFiltered([
    script([
      'return new Response(200, { body: [',
      "  crypto.digest('SHA-256', 'abc').slice(0, 8), crypto.hmac('sha256', 'key', 'abc', 'base64url').slice(0, 4),",
      "  base64.encode('hé'), escape(base64.decodeText('aMOp')), utf8.decode(utf8.encode('ü')).length, crypto.randomUUID().length,",
      "].join(' ') })",
    ]),
  ]);
  expect(await ask('/')).toMatchObject({ body: 'ba7816bf nBlu aMOp h%E9 1 36' });
});

it('lets classes of scripts override what the language has', async () => {
  const { ask } = await startFiltered([
    script([
      'class Refused extends Error { constructor() { super("no"); this.name = "Refused"; } toString() { return "R"; } }',
      'const shown = {}; shown.toString = () => "S"; shown.constructor = 1',
      'try { throw new Refused() } catch (e) { return new Response(200, { body: `${e} ${shown} ${e.name}` }) }',
    ]),
  ]);
  expect(await ask('/')).toMatchObject({ body: 'R S Refused' });
});

it.each([
  ['let a == 1', 'the script, line 1, column 7: '],
  [['const a = 1', 'const b = {', ''], 'the script, line 3, column 1: '],
  ["return '", 'the script, line 1, column 8: '],
])('rejects a script with a mistake in its syntax', (source, place) => {
  const problems = problemsOf('ScriptableFilter', { type: 'application/javascript', source });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`source: ${place}`);
});

it.each([
  '})(); for (;;) {} (async function () {',
  '})(); }), (() => { for (;;); })(), (function () { return (async function () {',
  '}, (() => { for (;;); })(), function () {',
  '}((() => { for (;;); })()), function () {',
  '}, [(() => { for (;;); })()]() {',
  '} for (;;); {',
  '}',
  '} //',
  '} } ) /*',
])('rejects a script that ends the function around it, and runs nothing of it', (source) => {
  const problems = problemsOf('ScriptableFilter', { type: 'text/javascript', source });
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain('source: the script, line 1, column ');
});
