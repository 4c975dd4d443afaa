import { afterAll, describe, expect, it } from 'vitest';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';
import { gatewarden, type Outcome, runProgram } from '../support/programs/run-program.ts';

const answer = (entity: string): object => ({ type: 'StaticResponseHandler', config: { status: 200, entity } });
const router = { heap: [{ name: '_router', type: 'Router' }] };
const sound = new InstanceFolder({
  'config/config.json': router,
  'config/routes/20-b.json': { condition: "${find(request.uri.path, '^/b')}", handler: answer('b') },
  'config/routes/10-a.json': { condition: "${request.headers['X-A'][0] == 'yes'}", handler: answer('&{who|nobody}') },
});
const bad = new InstanceFolder({
  'config/config.json': router,
  'config/routes/a.json': '{\n  "handler": { "type": "StaticResponse" }\n}',
  'config/routes/b.json': '{\n  "handler": "nowhere",\n  "condition": "${"\n}',
  'config/routes/default.json': '{}',
});
const alone = new InstanceFolder({
  'good.json': { baseURI: 'http://app.example.com', handler: 'ReverseProxyHandler' },
  'bad.yaml': 'handler:\n  type: Chain\n  config: {}\n',
  'notes.txt': '',
});
const warned = new InstanceFolder({
  'config/config.json': { ...router, monitor: true },
  'config/routes/a.json': { handler: answer('a') },
});
const secretive = new InstanceFolder({
  'config/config.json': {
    heap: [...router.heap, { name: 's', type: 'Base64EncodedSecretStore', config: { secrets: { api: '&{s}' } } }],
  },
});
/** In `config.json` one object is unsound; routes refer to it and to one that is not there. */
const baseless = new InstanceFolder({
  'config/config.json': { heap: [...router.heap, { name: 'odd', type: 'Chian' }] },
  'config/routes/a.json': { handler: 'odd' },
  'config/routes/b.json': { handler: 'nowhere' },
  'config/routes/c.json': {
    handler: { type: 'StaticResponseHandler', config: { status: 'x', entity: '${requst.method}' } },
  },
});
const folders = [sound, bad, alone, warned, baseless];

afterAll(() => {
  for (const folder of folders) folder[Symbol.dispose]();
});

/** Runs the program in a folder, so that it shows short paths. */
function run({ path }: InstanceFolder, ...words: string[]): Promise<Outcome> {
  return runProgram(gatewarden, words, { cwd: path });
}

describe('gatewarden check', () => {
  it('reports nothing for a valid instance', async () => {
    expect(await run(sound, 'check', '.')).toEqual({
      code: 0,
      stdout: '3 files checked: 0 errors, 0 warnings\n',
      stderr: '',
    });
  });

  it('reports all problems with their paths and remedies', async () => {
    const { code, stdout } = await run(bad, 'check', 'config');
    expect(code).toBe(1);
    expect(stdout).toContain(
      [
        "error: route a → handler.type: there is no type 'StaticResponse' [unknown-type]",
        '  at config/routes/a.json:2:24',
        '  2 |   "handler": { "type": "StaticResponse" }',
        '    |                        ^',
        "  hint: did you mean 'StaticResponseHandler'?",
        '',
        'config/routes/a.json: EVERY REQUEST THAT REACHES THIS ROUTE GETS 500 until its errors are fixed',
      ].join('\n'),
    );
    expect(stdout).toContain("there is no object 'nowhere'");
    expect(stdout).toContain('config/routes/b.json:3:19');
    expect(stdout).toContain('config/routes/default.json: NOT LOADED');
    expect(stdout).toMatch(/4 files checked: \d+ errors, 0 warnings\n$/);
  });

  it('reports also the routes of an invalid config.json, and fields beside an invalid one', async () => {
    const { stdout } = await run(baseless, 'check', '.', '--json');
    const { problems } = JSON.parse(stdout) as { problems: Record<string, string>[] };
    expect(problems.map(({ file, path, code }) => `${file} ${path} ${code}`)).toEqual([
      'config/config.json heap[1].type unknown-type',
      'config/routes/b.json handler reference',
      'config/routes/c.json handler.config.status value',
      'config/routes/c.json handler.config.entity expression',
    ]);
  });

  it('reports in JSON for programs', async () => {
    const { code, stdout } = await run(bad, 'check', '.', '--json');
    expect(code).toBe(1);
    const found = JSON.parse(stdout) as { sound: boolean; files: number; problems: object[] };
    expect(found).toMatchObject({ sound: false, files: 4 });
    expect(found.problems).toContainEqual(
      expect.objectContaining({ code: 'unknown-type', path: 'handler.type', file: 'config/routes/a.json', line: 2 }),
    );
  });

  it('checks a route file as part of its instance', async () => {
    const { code, stdout } = await run(bad, 'check', 'config/routes/a.json');
    expect(code).toBe(1);
    expect(stdout).toMatch(/1 file checked: 1 error,/);
  });

  it.each<[string, number, RegExp]>([
    ['good.json', 0, /1 file checked: 0 errors/],
    ['bad.yaml', 1, /at bad\.yaml:\d+:\d+/],
  ])('checks the route file %s outside of an instance', async (file, code, text) => {
    const outcome = await run(alone, 'check', file);
    expect(outcome.stdout).toMatch(text);
    expect(outcome.code).toBe(code);
  });

  it.each<[string, RegExp]>([
    ['nowhere', /there is no file or directory nowhere/],
    ['notes.txt', /notes\.txt is not a JSON or YAML file/],
  ])('refuses %s', async (path, text) => {
    const outcome = await run(alone, 'check', path);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(text);
  });
});

describe('gatewarden compile', () => {
  it('prints the snapshot of data planes, the same bytes each time', async () => {
    const [first, second] = await Promise.all([
      run(sound, 'compile', '.', '-Dwho=me'),
      run(sound, 'compile', 'config', '-Dwho=me'),
    ]);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toBe(first.stdout);
    const { routes } = JSON.parse(first.stdout) as { routes: { id: string; document: object }[] };
    expect(routes.map(({ id }) => id)).toEqual(['10-a', '20-b']);
    expect(routes[0]?.document).toMatchObject({ handler: { config: { entity: 'me' } } });
  });

  it('prints no secret, but distinguishes different secrets', async () => {
    const both = await Promise.all(
      ['czNjcjN0', 'b3RoZXIx'].map((value) => run(secretive, 'compile', '.', `-Ds=${value}`)),
    );
    const [one, other] = both.map(({ stdout }) => stdout);
    for (const printed of [one, other]) expect(printed).not.toMatch(/czNjcjN0|b3RoZXIx/);
    expect(JSON.parse(one!)).toMatchObject({
      base: { document: { heap: [{}, { type: 'Base64EncodedSecretStore' }] } },
    });
    expect(other).not.toBe(one);
  });

  it('prints the serving configuration despite errors, and reports them', async () => {
    const { code, stdout, stderr } = await run(bad, 'compile', '.');
    expect(code).toBe(1);
    expect(stderr).toContain('unknown-type');
    expect(JSON.parse(stdout)).toMatchObject({ routes: [{ id: 'a', refuses: true }] });
  });
});

describe('gatewarden compile and routes', () => {
  it.each(['compile', 'routes'])('%s prints errors and the number of warnings', async (command) => {
    const { stderr } = await run(warned, command, '.');
    expect(stderr).toBe("1 warning: see 'gatewarden check'\n");
    const { stderr: errors } = await run(bad, command, '.');
    expect(errors).toContain('unknown-type');
  });
});

describe('gatewarden routes', () => {
  it('lists the routes in order', async () => {
    const { code, stdout } = await run(sound, 'routes', '.');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'routes      config/routes, checked every 10 s',
        'router      gateway._router, 2 routes in this order:',
        "  10-a  ${request.headers['X-A'][0] == 'yes'}",
        "  20-b  ${find(request.uri.path, '^/b')}",
        '',
      ].join('\n'),
    );
  });

  it.each<[string[], string[]]>([
    [
      ['--match', 'GET https://h/b/c'],
      ["  10-a  false     ${request.headers['X-A'][0] == 'yes'}", "→ 20-b  true      ${find(request.uri.path, '^/b')}"],
    ],
    [
      ['--match', '/x', '--header', 'X-A: yes'],
      ["→ 10-a  true      ${request.headers['X-A'][0] == 'yes'}", '  1 later route is not tried'],
    ],
    [
      ['--match', '/a/../b'],
      ['no route is tried: the request is rejected with 400 target-ambiguous, because the path is ambiguous'],
    ],
    [['--match', 'POST /none'], ['  no route matches: 404']],
    [['--match', '/openig/api'], ['no route matches: /openig is the administrative path, which clients never reach']],
  ])('prints the route that takes %j', async (words, expected) => {
    const { code, stdout } = await run(sound, 'routes', '.', ...words);
    expect(code).toBe(0);
    for (const line of expected) expect(stdout.split('\n')).toContain(line);
  });
});
