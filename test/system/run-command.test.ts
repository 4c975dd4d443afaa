import { renameSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { ask } from '../support/clients/answers.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { type FolderContent, InstanceFolder } from '../support/gateways/instance-folder.ts';
import { gatewarden, runProgram } from '../support/programs/run-program.ts';

let folder: InstanceFolder;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder[Symbol.dispose]();
});

async function run(content: FolderContent, words: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<void> {
  folder = new InstanceFolder(content);
  gateway = await GatewayProcess.run(folder.path, words, env);
}

/** The status and the text of an answer, on a connection of its own. */
async function get(path: string, method = 'GET'): Promise<string> {
  const url = `http://127.0.0.1:${gateway!.port}${path}`;
  const response = await fetch(url, { method, headers: { connection: 'close' } });
  return `${response.status} ${await response.text()}`;
}

/** Waits until a path is answered like this. */
async function becomes(path: string, expected: string): Promise<void> {
  await vi.waitFor(async () => expect(await get(path)).toBe(expected), { timeout: 10_000, interval: 10 });
}

/** Waits until the standard error holds this. */
async function says(text: string): Promise<void> {
  const said = (): string => gateway!.said.map(({ msg }) => msg).join('\n');
  await vi.waitFor(() => expect(said()).toContain(text), { timeout: 10_000, interval: 10 });
}

const router = (config: object = {}): object => ({ heap: [{ name: '_router', type: 'Router', config }] });
const answer = (path: string, entity: string): object => ({
  condition: `\${find(request.uri.path, '^${path}')}`,
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
});

describe('gatewarden run', () => {
  it('serves a welcome page without a configuration', async () => {
    await run({});
    expect(await get('/')).toMatch(/^200 /);
    expect(await get('/', 'POST')).toMatch(/^405 /);
    expect(await get('/other')).toMatch(/^404 \{.*\}$/);
    expect(await get('/openig/api')).toMatch(/^404 /);
  });

  it('sends no client to its admin port, which trusts this machine', async () => {
    const handler = { type: 'ReverseProxyHandler', config: { forwardProxy: true } };
    await run({ 'config/config.json': { handler } });
    for (const host of ['127.0.0.1', 'localhost', '0.0.0.0', '[::ffff:127.0.0.1]']) {
      const head = `POST /units/0/restart HTTP/1.1\r\nHost: ${host}:${gateway!.adminPort}\r\n`;
      expect([host, (await ask(gateway!.port, head)).status]).toEqual([host, 403]);
    }
  });

  it('prints the loaded files and all addresses', async () => {
    await run(
      {
        'config/admin.json': { prefix: 'gw', vertx: { metricsEnabled: true } },
        'config/config.json': router(),
        'config/routes/20-b.json': answer('/b', 'b'),
        'config/routes/10-a.json': answer('/a', 'a'),
      },
      ['-Dunused=1'],
    );
    await vi.waitFor(() => expect(gateway!.stdout).toContain('metrics'));
    const { stdout, port, adminPort } = gateway!;
    expect(stdout).toContain(`instance    ${folder.path}\n`);
    expect(stdout).toContain(
      "gateway._router, 2 routes in this order:\n  10-a  ${find(request.uri.path, '^/a')}\n  20-b",
    );
    expect(stdout).toContain(`traffic     http://127.0.0.1:${port}\n`);
    expect(stdout).toContain(`console     http://127.0.0.1:${adminPort}/console/\n`);
    expect(stdout).toContain(`metrics     http://127.0.0.1:${adminPort}/gw/metrics/prometheus`);
    expect((await gateway!.admin('/gw/metrics/prometheus')).status).toBe(200);
    expect((await gateway!.admin('/health/ready')).status).toBe(200);
    await says('vertx.metricsEnabled: has no effect');
    expect(await gateway!.stop()).toBe(0);
  });

  it('runs a configuration with tokens, properties, files, decorators and a backend', async () => {
    const backend = await EchoBackend.start();
    await run(
      {
        'config/config.json': {
          ...router({ directory: '&{ig.instance.dir}/config/shop', scanInterval: 'disabled' }),
          properties: { shared: { $location: 'shared.json' }, base: '&{backend}' },
        },
        'config/shared.json': { greeting: 'hello' },
        'config/shop/a.json': answer('/a', '&{shared.greeting} ${shared.greeting} &{who} &{from.env}'),
        'config/shop/b.yaml': "baseURI: '&{base}'\nhandler: ReverseProxyHandler\n",
      },
      [`-Dbackend=${backend.url}`, '-Dwho=me'],
      { FROM_ENV: 'env' },
    );
    expect(await get('/a')).toBe('200 hello hello me env');
    expect(await get('/b?x')).toBe('200 answer to /b?x');
    await gateway!.stop();
    await backend.close();
  });

  it.each<[string, FolderContent, RegExp]>([
    ['a bad config.json', { 'config/config.json': '{ "handler": "x" }' }, /config\.json:1:\d+[\s\S]*cannot be served/],
    ['a config.json that is no JSON', { 'config/config.json': '{' }, /\[text\]/],
    ['a bad admin.json', { 'config/admin.json': { prefx: 'x' } }, /did you mean 'prefix'/],
    [
      'an object that cannot be built',
      {
        'config/config.json': {
          handler: { type: 'ResourceHandler', config: { directories: ['/no/such/directory'] } },
        },
      },
      /config\.json/,
    ],
    [
      'a routes directory that is none',
      { 'config/routes': 'x' },
      /'routes' cannot be read: ENOTDIR[\s\S]*at .*routes$/m,
    ],
    [
      'a router whose directory is none',
      { 'config/config.json': router({ directory: 'file' }), 'config/file': 'x' },
      /heap\[0\]\.config\.directory: the directory 'file' cannot be read/,
    ],
    ['a config directory that is none', { config: 'x' }, /cannot be read: ENOTDIR[\s\S]*config\.json: NOT LOADED/],
    [
      'a config.yaml',
      { 'config/config.yaml': 'handler: x' },
      /is not read[\s\S]*hint: write it as JSON and name it config\.json/,
    ],
  ])('does not start with %s', async (_, content, text) => {
    folder = new InstanceFolder(content);
    const words = ['run', folder.path, '--port', '0', '--host', '127.0.0.1', '--admin', 'off', '--units', '1'];
    const { code, stderr } = await runProgram(gatewarden, words);
    expect(stderr).toMatch(text);
    expect(code).toBe(1);
  });

  it('counts problems, also in admin.json, and lists files that are not loaded', async () => {
    await run({
      'config/admin.json': { vertx: { metricsEnabled: true } },
      'config/config.json': router(),
      'config/routes/a.json': answer('/a', 'a'),
      'config/routes/b.json': { ...answer('/b', 'b'), handler: 'nowhere' },
      'config/routes/c.json': '{',
    });
    await vi.waitFor(() => expect(gateway!.stdout).toContain('metrics'));
    expect(gateway!.stdout).toMatch(/^NOT LOADED {2}.*routes\/c\.json$/m);
    expect(gateway!.stdout).toMatch(/^problems {4}2 ERRORs and 1 warning, see above$/m);
  });

  it('reports a port in use with the option to change it', async () => {
    await run({ 'config/admin.json': { pidFileMode: 'override' } });
    const own = { '--port': '0', '--admin': '127.0.0.1:0', '--host': '127.0.0.1', '--units': '1' };
    const [traffic, admin] = [String(gateway!.port), `127.0.0.1:${gateway!.adminPort}`];
    for (const [option, value] of [
      ['--port', traffic],
      ['--admin', admin],
    ] as const) {
      const words = ['run', folder.path, ...Object.entries({ ...own, [option]: value }).flat()];
      const { code, stderr } = await runProgram(gatewarden, words);
      expect(code).toBe(1);
      expect(stderr).toContain(`:${value.replace('127.0.0.1:', '')}, `);
      expect(stderr).toContain(`is in use: another program listens there; choose another one with ${option}\n`);
    }
  });

  it('reports that a directory is required', async () => {
    folder = new InstanceFolder({});
    const env = { ...process.env, HOME: folder.path, OPENIG_BASE: undefined, IG_INSTANCE_DIR: undefined };
    const { code, stderr } = await runProgram(gatewarden, ['run'], { env });
    expect([code, stderr]).toEqual([
      1,
      `gatewarden run: name a directory: there is none at ${folder.path}/.openig, where an instance is looked for by default\n`,
    ]);
  });

  it('serves the other routes when one is invalid, which rejects its requests', async () => {
    await run({
      'config/config.json': router(),
      'config/routes/10-a.json': { ...answer('/a', 'a'), handler: 'nowhere' },
      'config/routes/20-all.json': answer('/', 'all'),
    });
    expect(await get('/a')).toMatch(/^500 /);
    expect(await get('/b')).toBe('200 all');
    await says('10-a.json: REQUESTS THAT MATCH THIS ROUTE GET 500');
  });
});

describe('gatewarden run, while files change', () => {
  it('follows them at once with --watch, and keeps the last good version', async () => {
    await run({ 'config/config.json': router(), 'config/routes/a.json': answer('/a', '1') }, ['--watch']);
    expect(await get('/a')).toBe('200 1');
    folder.replace('config/routes/a.json', answer('/a', '2'));
    await becomes('/a', '200 2');
    folder.write('config/routes/b.json', answer('/b', 'b'));
    await becomes('/b', '200 b');
    folder.write('config/routes/a.json', '{ "handler": ');
    await says('a.json: THE LAST GOOD VERSION KEEPS SERVING');
    expect(await get('/a')).toBe('200 2');
    folder.write('config/routes/a.json', answer('/a', '3'));
    await becomes('/a', '200 3');
    await says('a.json: valid again');
    folder.remove('config/routes/b.json');
    await vi.waitFor(async () => expect(await get('/b')).toMatch(/^404 /));
  });

  it('keeps the routes of a deleted directory', async () => {
    await run({ 'config/config.json': router(), 'config/routes/a.json': answer('/a', '1') }, ['--watch']);
    renameSync(folder.at('config/routes'), folder.at('config/away'));
    await says('routes: ITS LAST ROUTES KEEP SERVING');
    expect(await get('/a')).toBe('200 1');
    renameSync(folder.at('config/away'), folder.at('config/routes'));
    await says('routes: readable again');
    folder.remove('config/routes/a.json');
    await vi.waitFor(async () => expect(await get('/a')).toMatch(/^404 /));
  });

  it('logs events as JSON lines, and counts them', async () => {
    await run({ 'config/config.json': router(), 'config/routes/a.json': answer('/a', '1') }, ['--watch']);
    const state = (name: string): Promise<number> => gateway!.figure(`gatewarden_config_routes{state="${name}"}`);
    const begun = await gateway!.figure('gatewarden_config_last_reload_timestamp_seconds');
    expect([await state('serving'), await state('last-good')]).toEqual([1, 0]);
    folder.replace('config/routes/a.json', { ...answer('/a', '2'), handler: 'nowhere' });
    await says('a.json: THE LAST GOOD VERSION KEEPS SERVING');
    const failed = gateway!.said.find(({ msg }) => msg.includes('THE LAST GOOD VERSION KEEPS SERVING'));
    expect(failed).toMatchObject({
      level: 50,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      file: folder.at('config/routes/a.json'),
      route: 'a',
      serves: 'last-good',
      problems: [{ code: 'reference', path: 'handler', line: 3 }],
      text: expect.stringContaining("there is no object 'nowhere'"),
    });
    await expect.poll(async () => [await state('serving'), await state('last-good')]).toEqual([0, 1]);
    const reloads = (result: string) => gateway!.figure(`gatewarden_config_reloads_total{result="${result}"}`);
    await expect.poll(() => reloads('problems')).toBe(1);
    folder.replace('config/routes/a.json', answer('/a', '3'));
    await says('reloaded in');
    expect(gateway!.said.every(({ level }) => level > 0)).toBe(true);
    await expect.poll(() => reloads('ok')).toBe(1);
    expect(await gateway!.figure('gatewarden_config_last_reload_timestamp_seconds')).toBeGreaterThan(begun);
    folder.write('config/routes/b.json', '{');
    await says('b.json: NOT LOADED');
    await expect.poll(() => state('not-loaded')).toBe(1);
    expect(gateway!.stdout).not.toContain('reloaded');
  });

  it('logs text for people on request', async () => {
    const content = { 'config/config.json': router(), 'config/routes/a.json': answer('/a', '1') };
    await run(content, ['--watch', '--reports', 'text']);
    folder.replace('config/routes/a.json', { ...answer('/a', '2'), handler: 'nowhere' });
    await says("error: route a → handler: there is no object 'nowhere'");
    await says('a.json: THE LAST GOOD VERSION KEEPS SERVING');
    expect(gateway!.said.find(({ msg }) => msg.includes('KEEPS SERVING'))).toMatchObject({ level: 0 });
  });

  it('follows config.json, and keeps the last good one', async () => {
    const config = (entity: string): object => ({ ...answer('/', entity), condition: undefined });
    await run({ 'config/config.json': config('1') }, ['--watch']);
    expect(await get('/')).toBe('200 1');
    folder.replace('config/config.json', config('2'));
    await becomes('/', '200 2');
    folder.replace('config/config.json', { handler: 'nowhere' });
    await says('config.json: THE LAST GOOD VERSION KEEPS SERVING');
    expect(await get('/')).toBe('200 2');
    folder.write('config/admin.json', {});
    await says('restart the process to apply it');
  });

  it('looks every scan interval, and at once at SIGHUP', async () => {
    await run({
      'config/config.json': { ...router({ scanInterval: 'disabled' }), properties: { f: { $location: 'f.json' } } },
      'config/f.json': { v: 1 },
      'config/routes/a.json': answer('/a', '&{f.v}'),
    });
    expect(await get('/a')).toBe('200 1');
    folder.replace('config/routes/a.json', answer('/a', 'v&{f.v}'));
    folder.replace('config/f.json', { v: 2 });
    gateway!.signal('SIGHUP');
    await becomes('/a', '200 v2');
  });

  it('reads nested routers and follows their directories', async () => {
    await run(
      {
        'config/config.json': router(),
        'config/routes/a.json': {
          condition: "${find(request.uri.path, '^/a')}",
          handler: { type: 'Router', config: { directory: 'inner' } },
        },
        'config/inner/x.json': answer('/a/x', 'x'),
      },
      ['--watch'],
    );
    expect(await get('/a/x')).toBe('200 x');
    folder.write('config/inner/y.json', answer('/a/y', 'y'));
    await becomes('/a/y', '200 y');
    const figures = await gateway!.admin('/openig/metrics/prometheus');
    expect(figures.text).toContain('router="gateway._router.a.{Router}/handler"');
  });

  it('loses no request while a route changes', async () => {
    await run({ 'config/config.json': router(), 'config/routes/a.json': answer('/a', '0') }, ['--watch']);
    const seen = new Set<string>();
    let isOver = false;
    const clients = Array.from({ length: 8 }, async () => {
      while (!isOver) seen.add(await get('/a'));
    });
    for (let i = 1; i <= 20; i++) {
      folder.replace('config/routes/a.json', answer('/a', String(i)));
      if (i % 5 === 0) await becomes('/a', `200 ${i}`);
    }
    await vi.waitFor(() => expect(seen).toContain('200 20'));
    isOver = true;
    await Promise.all(clients);
    expect([...seen].filter((text) => !/^200 \d+$/.test(text))).toEqual([]);
  });
});
