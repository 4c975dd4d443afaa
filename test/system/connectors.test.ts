import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { ask, refusalOf } from '../support/clients/answers.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { type FolderContent, InstanceFolder } from '../support/gateways/instance-folder.ts';
import { gatewarden, type Outcome, runProgram } from '../support/programs/run-program.ts';

let folder: InstanceFolder;
let gateway: GatewayProcess | undefined;

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  folder[Symbol.dispose]();
});

async function run(content: FolderContent, words: readonly string[] = []): Promise<void> {
  folder = new InstanceFolder(content);
  gateway = await GatewayProcess.run(folder.path, words);
}

/** Runs a gateway that is not to start. */
function refused(content: FolderContent, words: readonly string[] = []): Promise<Outcome> {
  folder = new InstanceFolder(content);
  const fixed = ['--host', '127.0.0.1', '--admin', 'off', '--units', '1', '--access-log', 'off'];
  return runProgram(gatewarden, ['run', folder.path, ...fixed, ...words]);
}

const ports = (): number[] => gateway!.addresses.map((address) => Number(/:(\d+)$/.exec(address)?.[1]));
const hello = {
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity: '${toString(request.uri)}' } },
};
const two = [{ port: 1 }, { port: 2, vertx: { maxInitialLineLength: 100 } }];

/** A port that somebody listens on. */
async function taken(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return { server, port: address.port };
}

describe('connectors', () => {
  it('are opened all by every unit, each with its own limits', async () => {
    const content = { 'config/admin.json': { connectors: two }, 'config/config.json': hello };
    await run(content, ['--port', '0,0', '--units', '2']);
    const [first, second] = ports() as [number, number];
    expect(first).not.toBe(second);
    const long = `GET /${'a'.repeat(200)} HTTP/1.1\r\nHost: h\r\n`;
    expect((await ask(first, long)).status).toBe(200);
    expect((await ask(second, long)).status).toBe(414);
    expect((await ask(second, 'GET /a HTTP/1.1\r\nHost: h\r\n')).status).toBe(200);
    await gateway!.admin('/units/0/restart', 'POST');
    await vi.waitFor(async () => expect(await gateway!.figure('gatewarden_unit_restarts_total')).toBe(1), 10_000);
    await vi.waitFor(async () => expect(await gateway!.figure('gatewarden_units')).toBe(2), 10_000);
    expect((await ask(second, long)).status).toBe(414);
    const status = JSON.parse((await gateway!.admin('/')).text) as { addresses: { port: number }[] };
    expect(status.addresses.map(({ port }) => port)).toEqual([first, second]);
    await vi.waitFor(() => expect(gateway!.stdout).toContain('metrics'));
    expect(gateway!.stdout).toContain(
      `traffic     http://127.0.0.1:${first}\ntraffic     http://127.0.0.1:${second}\n`,
    );
    expect(await gateway!.stop()).toBe(0);
  });

  it('cannot be used as backends of the gateway', async () => {
    const content = {
      'config/admin.json': { connectors: two },
      'config/config.json': { handler: { type: 'ReverseProxyHandler', config: { forwardProxy: true } } },
    };
    await run(content, ['--port', '0,0']);
    for (const port of ports()) {
      const answer = await ask(ports()[0]!, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`);
      expect([answer.status, refusalOf(answer)]).toEqual([403, 'backend-egress']);
    }
  });

  it('are identified by their index when one cannot listen', async () => {
    const { server, port } = await taken();
    const { code, stderr } = await refused({ 'config/admin.json': { connectors: two } }, ['--port', `0,${port}`]);
    expect([code, stderr]).toEqual([
      1,
      `gatewarden run: 127.0.0.1:${port}, connectors[1], is in use: another program listens there; choose another one with --port\n`,
    ]);
    server.close();
  });

  it('use the ports of admin.json by default', async () => {
    const { server, port } = await taken();
    const { stderr } = await refused({ 'config/admin.json': { connectors: [{ port }] } });
    expect(stderr).toContain(`127.0.0.1:${port}, the traffic address, is in use`);
    server.close();
  });

  it('need one port each on the command line', async () => {
    for (const [words, named] of [
      ['0', '1 port'],
      ['0,0,0', '3 ports'],
    ] as const) {
      const { code, stderr } = await refused({ 'config/admin.json': { connectors: two } }, ['--port', words]);
      expect(code).toBe(2);
      expect(stderr).toContain(`--port names ${named}, and admin.json has 2 connectors: name one for each`);
      folder[Symbol.dispose]();
    }
    for (const [words, problem] of [
      ['0,x', "must be a port from 0 to 65535, or several with commas between, not '0,x'"],
      ['0,80,80', "must not name a port twice, as '0,80,80' does"],
    ] as const) {
      const { code, stderr } = await refused({}, ['--port', words]);
      expect([code, stderr.split('\n')[0]]).toEqual([2, `gatewarden run: option '--port' ${problem}`]);
      folder[Symbol.dispose]();
    }
  });

  it('have all their problems reported at once, with their paths', async () => {
    const { code, stderr } = await refused({
      'config/admin.json': {
        connectors: [{ port: 1, tls: 'kyes' }, { port: 99_999, vertx: { maxHeader: 1, ssl: true } }, { port: 1 }],
        heap: [{ name: 'keys', type: 'NoSuchType' }],
      },
    });
    expect(code).toBe(1);
    const problems = stderr.split('\n').filter((line) => line.startsWith('error'));
    expect(problems.map((line) => line.split(': ')[1]).toSorted()).toEqual([
      'connectors[0].tls',
      'connectors[1].port',
      'connectors[1].vertx.maxHeader',
      'connectors[1].vertx.ssl',
      'connectors[2].port',
      'heap[0].type',
    ]);
    expect(stderr).toMatch(/admin\.json:\d+:\d+/);
    expect(stderr).toContain("did you mean 'maxHeaderSize'?");
  });
});

describe('the request settings of admin.json', () => {
  it.each([
    [{}, '/a?b=|', '200 http://h/a?b=%7C'],
    [{}, '/a?b=%zz', '400 query'],
    [{ preserveOriginalQueryString: false }, '/a?b=%41[]', '200 http://h/a?b=%41[]'],
    [{ preserveOriginalQueryString: true }, '/a?b=%41[]', '200 http://h/a?b=%41[]'],
    [{ preserveOriginalQueryString: true }, '/a?b=%zz', '400 query'],
  ])('%j makes of %s: %s', async (admin, target, expected) => {
    await run({ 'config/admin.json': admin, 'config/config.json': hello });
    const answer = await ask(gateway!.port, `GET ${target} HTTP/1.1\r\nHost: h\r\n`);
    expect(`${answer.status} ${answer.status === 200 ? answer.body : refusalOf(answer)}`).toBe(expected);
  });

  it('bounds bodies, also those in chunks', async () => {
    await run({ 'config/admin.json': { maxBodyLength: 4 }, 'config/config.json': hello });
    const post = async (head: string, body: string): Promise<number> =>
      (await ask(gateway!.port, `POST / HTTP/1.1\r\nHost: h\r\n${head}\r\n`, body)).status;
    expect(await post('Content-Length: 4', 'abcd')).toBe(200);
    expect(await post('Content-Length: 5', 'abcde')).toBe(413);
    expect(await post('Transfer-Encoding: chunked', '2\r\nab\r\n2\r\nde\r\n0\r\n\r\n')).toBe(200);
    expect(await post('Transfer-Encoding: chunked', '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n')).toBe(413);
  });
});

describe('the storage of content', () => {
  const storage = { name: 'small', type: 'TemporaryStorage', config: { memoryLimit: 500, fileLimit: 1000 } };
  const admin = { temporaryStorage: 'small', heap: [storage] };
  const own = [{ name: 'TemporaryStorage', type: 'TemporaryStorage' }];

  it.each<[string, object, object, number]>([
    ['in the storage of admin.json', admin, {}, 413],
    ['nowhere, if it is passed on as it arrives', { ...admin, streamingEnabled: true }, {}, 200],
    ['in the storage of config.json, if that has one', admin, { heap: own }, 200],
    ['in the default storage', {}, {}, 200],
  ])('%s', async (_, settings, config, status) => {
    const backend = await EchoBackend.start();
    await run({
      'config/admin.json': settings,
      'config/config.json': { ...config, baseURI: backend.url, handler: { type: 'ReverseProxyHandler' } },
    });
    const head = 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 300000\r\n';
    expect((await ask(gateway!.port, head, 'x'.repeat(300_000))).status).toBe(status);
    await gateway!.stop();
    await backend.close();
  });
});

it('does not start with an object of admin.json that cannot be built', async () => {
  const { code, stderr } = await refused(
    {
      'config/admin.json': {
        temporaryStorage: 'own',
        heap: [{ name: 'own', type: 'TemporaryStorage', config: { directory: '&{ig.instance.dir}/file' } }],
      },
      file: 'x',
    },
    ['--port', '0'],
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/^gatewarden run: admin\.json: heap\[0\]: 'own' cannot be built: its directory .*EEXIST/m);
});

describe('files of an instance', () => {
  it('hold the process id while it runs, and only one process may run', async () => {
    await run({});
    const path = folder.at('tmp/gatewarden.pid');
    expect(readFileSync(path, 'utf8')).toBe(`${gateway!.pid}\n`);
    const words = ['run', folder.path, '--port', '0', '--admin', 'off', '--units', '1'];
    const { code, stderr } = await runProgram(gatewarden, words);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`process ${gateway!.pid} already serves this instance`),
    ]);
    expect(readFileSync(path, 'utf8')).toBe(`${gateway!.pid}\n`);
    expect(await gateway!.stop()).toBe(0);
    expect(existsSync(folder.at('tmp'))).toBe(false);
  });

  it('are made in the temporary directory, which is made too', async () => {
    await run({
      'config/admin.json': { temporaryDirectory: 'scratch/deep' },
      'config/config.json': {
        properties: { temp: '${openig.tempDirectory}' },
        handler: { type: 'StaticResponseHandler', config: { status: 200, entity: '${temp}' } },
      },
    });
    expect(statSync(folder.at('scratch/deep')).mode & 0o777).toBe(0o700);
    expect((await ask(gateway!.port, 'GET / HTTP/1.1\r\nHost: h\r\n')).body).toBe(folder.at('scratch/deep'));
  });

  it('cannot be created in a path that is not a directory', async () => {
    const content = { 'config/admin.json': { temporaryDirectory: 'file' }, file: 'x' };
    const { code, stderr } = await refused(content, ['--port', '0']);
    expect(code).toBe(1);
    expect(stderr).toContain(`temporaryDirectory of admin.json, ${folder.at('file')}, cannot be used: EEXIST`);
  });
});

it('applies changes that arrived while units were starting', async () => {
  const route = (entity: string): object => ({
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
  });
  folder = new InstanceFolder({
    'config/config.json': { handler: { type: 'Router' } },
    'config/routes/a.json': route('1'),
  });
  const starting = GatewayProcess.run(folder.path, ['--watch', '--units', '4']);
  // the files have been read when the process says who it is, and units take longer than that to start
  await vi.waitFor(() => expect(existsSync(folder.at('tmp/gatewarden.pid'))).toBe(true), {
    timeout: 20_000,
    interval: 2,
  });
  folder.replace('config/routes/a.json', route('2'));
  gateway = await starting;
  const answer = async (): Promise<string> => (await ask(gateway!.port, 'GET / HTTP/1.1\r\nHost: h\r\n')).body;
  await vi.waitFor(async () => expect(await answer()).toBe('2'), { timeout: 10_000, interval: 10 });
});
