import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, expect, it } from 'vitest';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';

const folder = mkdtempSync(`${tmpdir()}/gatewarden-eval-script-`);
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, text: string): string {
  writeFileSync(`${folder}/${name}`, text);
  return `${folder}/${name}`;
}

const run = (script: string, ...words: string[]) =>
  runProgram(gatewarden, ['eval', '--script', script, ...words], { env: { ...process.env, SOME_NAME: 'some value' } });

it('shows log lines, the request that goes to next and the response', async () => {
  const script = written(
    'filter.groovy',
    `
    logger.info('asked for {}', request.uri.path)
    request.headers['X-Env'] = System.getenv('SOME_NAME')
    request.headers['X-Arg'] = who
    next.handle(context, request).thenOnResult { response -> response.headers['X-Seen'] = response.entity.string }
    `,
  );
  const request = written('request.json', JSON.stringify({ uri: '/orders', method: 'POST', entity: 'body' }));
  const response = '{"status": 404, "headers": {"X-B": "1"}, "entity": "none"}';
  expect(await run(script, '--request', request, '--response', response, '--args', '{"who": "me"}')).toEqual({
    code: 0,
    stderr: '',
    stdout: [
      'log info: asked for /orders',
      'next: POST http://gw.test/orders',
      '  host: gw.test',
      '  x-arg: me',
      '  x-env: some value',
      '',
      '  body',
      'response: 404',
      '  x-b: 1',
      '  x-seen: none',
      '',
      '  none',
      '',
    ].join('\n'),
  });
});

it('shows the requests of http, with canned responses in turn', async () => {
  const script = written(
    'handler.groovy',
    `
    def codes = (1..3).collect { http.send(new Request().setMethod('GET').setUri('http://a.test/' + it)).get().status.code }
    def response = new Response(Status.OK)
    response.entity = codes.join(' ')
    response
    `,
  );
  const { stdout } = await run(
    script,
    '--as',
    'ScriptableHandler',
    '--response',
    '[{"status":201},{"status":202}]',
    '--json',
  );
  expect(JSON.parse(stdout)).toMatchObject({
    next: [],
    http: [{ uri: 'http://a.test/1' }, { uri: 'http://a.test/2' }, { uri: 'http://a.test/3' }],
    result: { kind: 'response', response: { status: 200, entity: '201 202 202' } },
  });
});

it.each([
  ['ScriptableThrottlingPolicy', "new ThrottlingRate(5, '2 s')", 'result: {"numberOfRequests":5,"milliseconds":2000}'],
  ['ScriptableThrottlingPolicy', 'null', 'no result: the script returned null'],
  ['ScriptableResourceAccess', "['a', 'b'] as Set", 'result: ["a","b"]'],
  ['ScriptableResourceUriProvider', "'http://a' + request.uri.path", 'result: http://a/a/b'],
  [
    'ScriptableAccessTokenResolver',
    'new org.forgerock.http.oauth2.AccessTokenInfo(new org.forgerock.json.JsonValue([a: 1]), token, [] as Set, 5L)',
    'result: {"token":"abc","scopes":[],"expiresAt":5,"info":{"a":1}}',
  ],
  [
    'ScriptableJwtValidatorCustomizer',
    "builder.claim('sub', JsonValue::asString, isEqualTo('bob'))",
    'result: ["the claim \'sub\' has another value"]',
  ],
])('runs a %s: %s', async (type, source, line) => {
  const more = ['--token', 'abc', '--claims', '{"sub": "ada"}'];
  const { code, stdout, stderr } = await run(written('one.groovy', source), '--as', type, ...more);
  expect([code, stdout, stderr]).toEqual([0, `${line}\n`, '']);
});

it.each([
  ["throw new IllegalStateException('not today')", /^failed: .*bad\.groovy, line 1: .*not today\n$/],
  ["'text'", /^failed: .*Response/],
  ['while (true) {}', /^failed: the script exceeded its time budget\n$/],
])('exits with 1 when a script fails: %s', async (source, text) => {
  const { code, stdout, stderr } = await run(written('bad.groovy', source));
  expect([code, stderr]).toEqual([1, '']);
  expect(stdout).toMatch(text);
});

it.each<[string, readonly string[], RegExp]>([
  ['bad.groovy', [], /^gatewarden eval: .*bad\.groovy, line 2, column \d+: /],
  ['bad.txt', [], /^gatewarden eval: .*its name must end in/],
  ['bad.groovy', ['--as', 'HeaderFilter'], /^gatewarden eval: --as must be one of ScriptableFilter, /],
  ['bad.groovy', ['--as', 'toString'], /^gatewarden eval: --as must be one of ScriptableFilter, /],
  ['bad.groovy', ['${1}'], /^gatewarden eval: takes no expression/],
  ['bad.groovy', ['--args', '[1]'], /^gatewarden eval: --args must be a JSON object/],
  ['bad.groovy', ['--args', '{"next": 1}'], /^gatewarden eval: the argument 'next' has the name of a variable/],
  ['bad.groovy', ['--claims', '[1]'], /^gatewarden eval: --claims must be a JSON object/],
  ['bad.groovy', ['--response', '[1]'], /^gatewarden eval: --response must be a JSON object/],
])('refuses %s %j', async (name, words, text) => {
  const { code, stdout, stderr } = await run(written(name, 'def a = 1\ndef b ='), ...words);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(text);
});

it('refuses a file with null for an object', async () => {
  const script = written('filter.js', 'return next()');
  const none = written('null.json', 'null');
  for (const option of ['--args', '--claims', '--response', '--request']) {
    const { code, stderr } = await run(script, option, none);
    expect([option, code, stderr]).toEqual([option, 1, expect.stringMatching(/^gatewarden eval: .*JSON object/)]);
  }
});

it.each([
  ['a script that is not there', ['--script', 'nothing.groovy'], /^gatewarden eval: --script: .*nothing\.groovy/],
  ['a request that is not JSON', ['--request', '{x'], /^gatewarden eval: --request: /],
  ['a response that is not there', ['--response', '7'], /^gatewarden eval: --response: /],
  ['arguments that are not JSON', ['--args', '{'], /^gatewarden eval: --args: /],
])('names the option of %s', async (_title, words, message) => {
  const script = written('option.groovy', 'next.handle(context, request)');
  const asked = words[0] === '--script' ? words : ['--script', script, ...words];
  const { code, stderr } = await runProgram(gatewarden, ['eval', ...asked]);
  expect(code).toBe(1);
  expect(stderr).toMatch(message);
});

it('refuses a variable that the object does not have, with its place', async () => {
  const script = written('variable.groovy', 'def x = 1\nnext.handle(context, request)');
  const { code, stderr } = await run(script, '--as', 'ScriptableHandler');
  expect(code).toBe(1);
  expect(stderr).toMatch(/variable\.groovy, line 2, column 1: the variable next is not available/);
  expect((await run(script, '--as', 'ScriptableFilter')).code).toBe(0);
});

it('says how to run a script that is given as an expression', async () => {
  const { stdout, stderr } = await runProgram(gatewarden, ['eval', 'filter.groovy']);
  expect(stdout).toBe('filter.groovy\n');
  expect(stderr).toMatch(/to run a script: --script filter\.groovy/);
});
