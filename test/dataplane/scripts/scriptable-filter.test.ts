import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { problemsOf, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const groovy = (source: JsonValue, more: JsonObject = {}): JsonObject => ({
  type: 'ScriptableFilter',
  config: { type: 'application/x-groovy', source, ...more },
});

const one = (seen: readonly { readonly headers: readonly (readonly [string, string])[] }[], name: string): string[] =>
  seen[0]!.headers.filter(([each]) => each === name).map(([, value]) => value);

it('changes the request and the response', async () => {
  const { ask, seen } = await startFiltered([
    groovy([
      "request.headers['X-User'] = contexts.client.remoteAddress",
      "request.headers.add('X-Many', 'a')",
      "request.headers.add('X-Many', 'b')",
      "request.headers.remove('X-Secret')",
      "request.uri.path = '/moved'",
      'next.handle(context, request).thenOnResult { response ->',
      "  response.headers['X-Status'] = response.status.code as String",
      "  response.headers.remove('X-Backend')",
      '}',
    ]),
  ]);
  const answer = await ask('/first?h.x-backend=1&entity=hello', { headers: ['X-Secret: s', 'X-Kept: k'] });
  expect(answer).toMatchObject({ status: 200, body: 'hello' });
  expect(answer.values('x-status')).toEqual(['200']);
  expect(answer.values('x-backend')).toEqual([]);
  expect(seen[0]!.url).toBe('/moved?h.x-backend=1&entity=hello');
  expect(one(seen, 'x-user')).toEqual(['127.0.0.1']);
  expect(one(seen, 'x-many')).toEqual(['a', 'b']);
  expect(one(seen, 'x-secret')).toEqual([]);
  expect(one(seen, 'x-kept')).toEqual(['k']);
});

it('answers without the backend', async () => {
  const { ask, seen } = await startFiltered([
    groovy(
      "def r = new Response(Status.FORBIDDEN); r.entity.json = [path: request.uri.path, q: request.queryParams['a'][0]]; r",
    ),
  ]);
  const answer = await ask('/x?a=1');
  expect(answer).toMatchObject({ status: 403, body: '{"path":"/x","q":"1"}' });
  expect(answer.values('content-type')).toEqual(['application/json; charset=UTF-8']);
  expect(seen).toEqual([]);
});

it('reads and replaces the content of both messages', async () => {
  const { ask, seen } = await startFiltered([
    groovy([
      'def body = request.entity.json',
      "body.extra = 'ü'",
      'request.entity.json = body',
      'next.handle(context, request).then { response ->',
      "  response.entity = response.entity.string + '!'",
      '  response',
      '}',
    ]),
  ]);
  const headers = ['Content-Type: application/json'];
  expect(await ask('/?entity=done', { method: 'POST', headers, body: '{"a":[1,2]}' })).toMatchObject({ body: 'done!' });
  expect(seen[0]!.body).toBe('{"a":[1,2],"extra":"ü"}');
  expect(one(seen, 'content-length')).toEqual([String(seen[0]!.content.length)]);
});

it('passes content on that the script does not touch', async () => {
  const { ask, seen } = await startFiltered([groovy('next.handle(context, request)')]);
  const body = 'x'.repeat(3_000_000);
  expect(await ask('/?entity=same', { method: 'POST', body })).toMatchObject({ status: 200, body: 'same' });
  expect(seen[0]!.content.length).toBe(3_000_000);
});

it('answers 413 for content that is too long to be read', async () => {
  const { ask } = await startFiltered([groovy('request.entity.string; next.handle(context, request)')]);
  expect((await ask('/', { method: 'POST', body: 'x'.repeat(3_000_000) })).status).toBe(413);
});

it('reads form parameters of the content', async () => {
  const { ask } = await startFiltered([
    groovy("def r = new Response(Status.OK); r.entity = request.form['user'][0]; r"),
  ]);
  const headers = ['Content-Type: application/x-www-form-urlencoded'];
  expect(await ask('/', { method: 'POST', headers, body: 'user=anna' })).toMatchObject({ body: 'anna' });
});

it('shares attributes with expressions and other scripts', async () => {
  const { ask, seen } = await startFiltered([
    groovy(
      "attributes.user = [name: 'anna', roles: ['a', 'b']]; attributes.call = { 'called' }; next.handle(context, request)",
    ),
    groovy("attributes.user.roles << 'c'; attributes.said = attributes.call(); next.handle(context, request)"),
    {
      type: 'HeaderFilter',
      config: {
        messageType: 'REQUEST',
        add: { 'X-User': ['${attributes.user.name} ${attributes.user.roles[2]} ${attributes.said}'] },
      },
    },
  ]);
  await ask('/');
  expect(one(seen, 'x-user')).toEqual(['anna c called']);
});

it('gets arguments and properties as variables', async () => {
  const { ask } = await startFiltered(
    [
      groovy('def r = new Response(Status.OK); r.entity = "${list[1]} ${sum} ${color}".toString(); r', {
        args: { list: [1, 'two'], sum: '${1 + 2}' },
      }),
    ],
    undefined,
    { document: { properties: { color: 'red' } } },
  );
  expect(await ask('/')).toMatchObject({ body: 'two 3 red' });
});

it('sends requests of its own', async () => {
  const { ask, seen } = await startFiltered([
    groovy([
      'def asked = new Request()',
      "asked.method = 'POST'",
      "asked.uri = 'http://app.test/own?entity=inner&h.x-more=m'",
      'asked.entity.json = [a: 1]',
      'http.send(asked).thenAsync { found ->',
      "  request.headers['X-Found'] = found.entity.string + found.headers['X-More'].firstValue",
      '  next.handle(context, request)',
      '}',
    ]),
  ]);
  expect((await ask('/outer')).status).toBe(200);
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'POST /own?entity=inner&h.x-more=m',
    'GET /outer',
  ]);
  expect(seen[0]!.body).toBe('{"a":1}');
  expect(seen[1]!.headers.find(([name]) => name === 'x-found')).toEqual(['x-found', 'innerm']);
});

it('answers 502 to a script whose request cannot be sent', async () => {
  const { ask } = await startFiltered([
    groovy([
      "def asked = new Request(); asked.method = 'GET'; asked.uri = 'http://127.0.0.1:1/'",
      'def r = new Response(Status.OK); r.entity = http.send(asked).get().status.code as String; r',
    ]),
  ]);
  expect(await ask('/')).toMatchObject({ body: '502' });
});

it('keeps globals for the next request', async () => {
  const { ask } = await startFiltered([
    groovy('globals.n = (globals.n ?: 0) + 1; def r = new Response(Status.OK); r.entity = globals.n as String; r'),
  ]);
  const bodies = [await ask('/'), await ask('/'), await ask('/')].map(({ body }) => body);
  expect(bodies).toEqual(['1', '2', '3']);
});

it('logs with route and object', async () => {
  const { ask, logged } = await startFiltered([
    groovy("logger.warn('user {} came', 'anna'); next.handle(context, request)"),
  ]);
  await ask('/');
  expect(logged.find(({ msg }) => msg === 'user anna came')).toMatchObject({
    level: 40,
    object: expect.stringContaining('ScriptableFilter'),
  });
});

it('answers 500 and logs an exception', async () => {
  const { ask, logged, seen } = await startFiltered([groovy("throw new IllegalStateException('no way')")]);
  expect(await ask('/')).toMatchObject({ status: 500, body: '' });
  expect(seen).toEqual([]);
  const line = logged.find(({ msg }) => String(msg).startsWith('script failed'));
  expect(line?.['msg']).toBe('script failed: java.lang.IllegalStateException: no way');
  expect(line).toMatchObject({ line: 1, object: expect.stringContaining('ScriptableFilter') });
});

it('logs a failed script without the credentials in its message', async () => {
  const jwt = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.c2ln';
  const cases: readonly (readonly [source: string, shown: string])[] = [
    ['request.headers[\'Authorization\'] = "Bearer ${request.queryParams.t[0]}"', 'Bearer …'],
    ["throw new IllegalStateException('no user in ' + request.queryParams.t[0])", 'no user in …'],
    ["throw new IllegalStateException('cannot call /a?access_token=' + request.queryParams.t[0])", '/a?access_token=…'],
  ];
  for (const [source, shown] of cases) {
    const { ask, logged } = await startFiltered([groovy(source)]);
    expect((await ask(`/x?t=${jwt}`)).status).toBe(500);
    const lines = logged.filter(({ msg }) => String(msg).startsWith('script failed'));
    expect(lines.map(({ msg }) => msg)).toEqual([expect.stringContaining(shown)]);
    expect(JSON.stringify(lines)).not.toContain('eyJ');
  }
});

it.each([
  ['null', 404],
  ["'text'", 500],
  ['new Request()', 500],
  ["Promises.newResultPromise(new Response(Status.valueOf(299, 'Fine')))", 299],
  ["org.forgerock.util.promise.Promises.newExceptionPromise(new Exception('x'))", 500],
  ['def p = org.forgerock.util.promise.PromiseImpl.create(); p', 500],
])('answers for the result %s with %i', async (source, status) => {
  const { ask } = await startFiltered([groovy(['import org.forgerock.util.promise.Promises', source])]);
  expect((await ask('/')).status).toBe(status);
});

const source = 'next.handle(context, request)';
it.each([
  [{ type: 'application/x-groovy', source: 'def x = (1' }, /^value source: the script, line 1, column \d+: /],
  [
    { type: 'application/x-groovy', source: ['def x = 1', "new File('x')"] },
    /^value source: the script, line 2, column \d+: .*File/,
  ],
  [
    { type: 'text/python', source },
    "value type: must be 'application/x-groovy', 'application/javascript', 'text/javascript', not 'text/python'",
  ],
  [{ source }, 'missing type: is required'],
  [{ type: 'application/x-groovy' }, "missing : one of 'file' and 'source' is required"],
  [{ type: 'application/x-groovy', source, file: 'a.groovy' }, /'a\.groovy'|cannot be/],
  [
    { type: 'application/x-groovy', file: 'none.groovy' },
    /^value file: there is no file 'none\.groovy' below scripts\/groovy of the instance$/,
  ],
  [{ type: 'application/x-groovy', source: 5 }, 'value source: must be a text, or an array of lines, not a number'],
  [{ type: 'application/x-groovy', source, args: [] }, 'value args: must be a map, not an array'],
])('is refused with %j', (config, problem) => {
  expect(problemsOf('ScriptableFilter', config)[0]).toEqual(
    typeof problem === 'string' ? problem : expect.stringMatching(problem),
  );
});
