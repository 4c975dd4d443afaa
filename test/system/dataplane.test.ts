import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { FIGURE } from '../../contract/route-report.ts';
import type { BaseEntry, RouteEntry } from '../../contract/snapshot.ts';
import { ScriptedController, type ScriptedStream } from '../support/channel/scripted-controller.ts';
import { DataplaneProcess } from '../support/gateways/dataplane-process.ts';
import { gatewarden, runProgram } from '../support/programs/run-program.ts';

const base: BaseEntry = {
  document: { handler: '_router', heap: [{ name: '_router', type: 'Router', config: { scanInterval: 'disabled' } }] },
  hash: 'base-1',
};

function route(id: string, answer: string, rest: Partial<RouteEntry> = {}): RouteEntry {
  const document: JsonObject = {
    condition: `\${request.uri.path == '/${id}'}`,
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: answer } },
  };
  return { router: 'gateway._router', id, name: id, document, hash: `${id} ${answer}`, ...rest };
}

const unsound: JsonObject = { condition: "${request.uri.path == '/a'}", handler: { type: 'Nonsense' } };

let directory: string;
let controller: ScriptedController;
let plane: DataplaneProcess | null = null;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gatewarden-dataplane-'));
  controller = await ScriptedController.start({ welcome: { report: 50 } });
  writeFileSync(join(directory, 'ca'), controller.authority.certificate);
  writeFileSync(join(directory, 'token'), 'a-token-for-planes');
  writeFileSync(join(directory, 'seal'), Buffer.alloc(40, 3));
});
afterEach(async () => {
  await plane?.stop();
  plane = null;
  controller.close();
  rmSync(directory, { recursive: true });
});

const at = (name: string): string => join(directory, name);

async function start(...words: string[]): Promise<DataplaneProcess> {
  const controllers = ['--controller', `127.0.0.1:${controller.port}`, '--ca', at('ca')];
  plane = await DataplaneProcess.start([...controllers, '--bootstrap-token-file', at('token'), ...words]);
  return plane;
}

const kept = (): string[] => ['--snapshot', at('kept'), '--snapshot-key', at('seal'), '--name', 'edge-1'];

/** Starts a plane that has its first snapshot. */
async function serving(...words: string[]): Promise<{ plane: DataplaneProcess; stream: ScriptedStream; port: number }> {
  const started = await start(...words);
  const stream = await controller.next();
  stream.update({ full: true, base, set: [route('a', 'one')], revision: 'first' });
  await stream.next('ack');
  return { plane: started, stream, port: await started.port() };
}

async function get(port: number, path = '/a'): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return `${response.status} ${(await response.text()).slice(0, 20)}`;
}

/** Everything that is on disk. */
function written(): Buffer {
  return Buffer.concat(readdirSync(at('kept')).map((name) => readFileSync(at(`kept/${name}`))));
}

describe('gatewarden dataplane', () => {
  it('is alive at once, and ready when the first snapshot serves', async () => {
    const started = await start('--label', 'tier=edge', '--name', 'edge-1');
    const stream = await controller.next();
    expect(await stream.next('hello')).toMatchObject({
      name: 'edge-1',
      labels: { tier: 'edge' },
      units: 1,
      holds: { revision: null, base: null, routes: [] },
    });
    expect((await started.admin('/health/live')).status).toBe(200);
    expect((await started.admin('/health/ready')).status).toBe(503);
    stream.update({ full: true, base, set: [route('a', 'one')], revision: 'first' });
    expect(await stream.next('ack')).toMatchObject({ revision: 'first', problems: [], newer: [] });
    expect((await started.admin('/health/ready')).status).toBe(200);
    const port = await started.port();
    expect(await get(port)).toBe('200 one');
    const { text } = await started.admin('/metrics');
    expect(text).toMatch(/^gw_link_connected 1$/m);
    expect(text).toMatch(/^gw_revision_info\{revision="first"\} 1$/m);
    const { link } = JSON.parse((await started.admin('/')).text) as { link: object };
    expect(link).toMatchObject({ connected: true, controller: 'scripted', revision: 'first' });
    let report = await stream.next('report');
    while (report.routes[0]?.figures[FIGURE.ended] !== 1) report = await stream.next('report'); // earlier ones may be from before the request or within it
    expect(report).toMatchObject({ revision: 'first', ready: true, unitsServing: 1, routes: [{ id: 'a', name: 'a' }] });
    expect(report.routes[0]!.figures[FIGURE.begun]).toBe(1);
    expect(await started.stop()).toBe(0);
  });

  it('follows changes, and rejects updates that it cannot build', async () => {
    const { stream, port } = await serving();
    stream.update({ set: [route('a', 'two'), route('b', 'b')] });
    expect(await stream.next('ack')).toMatchObject({ problems: [] });
    expect([await get(port), await get(port, '/b')]).toEqual(['200 two', '200 b']);

    stream.update({ set: [{ ...route('a', 'x'), document: unsound }, route('b', 'b2')], remove: [] });
    const { problems } = await stream.next('ack');
    expect(problems).toMatchObject([{ route: { id: 'a' }, keepsServing: true, problems: [{ code: 'unknown-type' }] }]);
    expect([await get(port), await get(port, '/b')]).toEqual(['200 two', '200 b2']);

    const bad = { document: { handler: 'nobody' }, hash: 'base-2' };
    stream.update({
      base: bad,
      set: [route('b', 'never'), route('c', 'never')],
      remove: [{ router: 'gateway._router', id: 'a' }],
    });
    expect(await stream.next('nack')).toMatchObject({ problems: [{ route: null }] });
    expect([await get(port), await get(port, '/b'), await get(port, '/c')]).toEqual([
      '200 two',
      '200 b2',
      expect.stringMatching(/^404/),
    ]);
    // nothing of what was refused comes back with the next change
    stream.update({ set: [route('d', 'd')] });
    await stream.next('ack');
    expect([await get(port), await get(port, '/b'), await get(port, '/c'), await get(port, '/d')]).toEqual([
      '200 two',
      '200 b2',
      expect.stringMatching(/^404/),
      '200 d',
    ]);
  });

  it('is not ready while the first snapshot cannot be built, and starts with the next', async () => {
    const started = await start();
    const stream = await controller.next();
    stream.update({ full: true, base: { document: { handler: 'nobody' }, hash: 'x' }, set: [] });
    expect(await stream.next('nack')).toMatchObject({ problems: [{ route: null }] });
    stream.update({ full: true, base: { ...base, hash: 'y', admin: { connectors: [{ port: 'no' }] } }, set: [] });
    const nack = await stream.next('nack');
    expect(nack.problems[0]!.problems[0]!.message).toMatch(/^admin\.json: connectors\[0\]\.port: /);
    expect((await started.admin('/health/ready')).status).toBe(503);
    stream.update({ full: true, base, set: [route('a', 'one')] });
    await stream.next('ack');
    expect(await get(await started.port())).toBe('200 one');
  });

  it('reports that a changed admin.json needs a restart', async () => {
    const { stream, plane: started } = await serving();
    stream.update({ base: { ...base, hash: 'base-2', admin: { prefix: 'other' } } });
    await stream.next('ack');
    expect((await started.line('admin.json changed')).level).toBe(40);
  });

  it('is not rolled back by a stale controller', async () => {
    const { stream, port } = await serving();
    const made = (version: string): Partial<RouteEntry> => ({ sources: [{ uid: 'u', resourceVersion: version }] });
    stream.update({ set: [route('a', 'new', made('9'))] });
    await stream.next('ack');
    stream.update({ set: [route('a', 'old', made('8'))] });
    expect(await stream.next('ack')).toMatchObject({ newer: [{ id: 'a' }] });
    expect(await get(port)).toBe('200 new');
  });
});

describe('a controller that is away', () => {
  it('costs no request', async () => {
    const { stream, port, plane: started } = await serving();
    controller.close();
    await started.line('no controller connected');
    for (let i = 0; i < 20; i++) expect(await get(port)).toBe('200 one');
    await vi.waitFor(() => expect(stream.isClosed).toBe(true));
    expect((await started.admin('/health/ready')).status).toBe(200);
    const { text } = await started.admin('/metrics');
    expect(text).toMatch(/^gw_link_connected 0$/m);
  });

  it('makes a plane not ready after a stated time, which serves on and is ready again with a controller', async () => {
    const { port, plane: started } = await serving('--unready-after', '2s');
    await vi.waitFor(async () => expect((await started.admin('/health/ready')).status).toBe(200));
    const { authority, port: at } = controller;
    controller.close();
    await vi.waitFor(async () => expect((await started.admin('/health/ready')).status).toBe(503), { timeout: 20_000 });
    await started.line('no contact with a controller for too long');
    expect(await get(port)).toBe('200 one');
    controller = await ScriptedController.start({ authority, port: at });
    await controller.next();
    await vi.waitFor(async () => expect((await started.admin('/health/ready')).status).toBe(200), { timeout: 20_000 });
  });

  it('does not prevent the start of a data plane with a saved snapshot', async () => {
    const first = await serving(...kept());
    first.stream.update({ set: [route('b', 'kept', { files: { 'x/y/z': 'c2VjcmV0' } })], revision: 'second' });
    await first.stream.next('ack');
    await first.plane.kill(); // what was acknowledged is on disk
    const { authority, port: at } = controller;
    controller.close();
    expect(written().includes('c2VjcmV0')).toBe(false);
    const again = await start(...kept());
    const port = await again.port();
    expect([await get(port), await get(port, '/b')]).toEqual(['200 one', '200 kept']);
    expect((await again.admin('/health/ready')).status).toBe(200);
    controller = await ScriptedController.start({ authority, port: at });
    const stream = await controller.next();
    expect((await stream.next('hello')).holds).toEqual({
      revision: 'second',
      base: 'base-1',
      routes: [
        ['gateway._router', 'a', 'a one'],
        ['gateway._router', 'b', 'b kept'],
      ],
    });
  });

  it('keeps a plane from starting whose snapshot is damaged, until it is back', async () => {
    const first = await serving(...kept());
    const { authority, port: at } = controller;
    controller.close();
    await first.plane.kill();
    truncateSync(join(directory, 'kept/snapshot.sealed'), 300);
    const again = await start(...kept());
    const line = await again.line('snapshot on disk is not usable; ignoring it');
    expect(line['reason']).toMatch(/damaged/);
    expect((await again.admin('/health/live')).status).toBe(200);
    expect((await again.admin('/health/ready')).status).toBe(503);
    controller = await ScriptedController.start({ authority, port: at });
    const stream = await controller.next();
    expect((await stream.next('hello')).holds.routes).toEqual([]);
    stream.update({ full: true, base, set: [route('a', 'back')] });
    await stream.next('ack');
    expect(await get(await again.port())).toBe('200 back');
  });

  it('overrides the snapshot on disk if it is reachable at start', async () => {
    const first = await serving(...kept());
    await first.plane.kill();
    const again = await start(...kept());
    const stream = await controller.next();
    expect((await stream.next('hello')).holds.revision).toBe('first');
    stream.update({ remove: [{ router: 'gateway._router', id: 'a' }], set: [route('b', 'b')] });
    await stream.next('ack');
    const port = await again.port();
    expect([await get(port), await get(port, '/b')]).toEqual([expect.stringMatching(/^404/), '200 b']);
  });
});

describe('the command line', () => {
  it.each([
    [['--controller', 'nowhere'], 'must be HOST:PORT'],
    [['--controller', ':9443'], 'with a host and a port'],
    [['--controller', 'a:1', '--cert', 'x'], '--cert and --key must be given together'],
    [['--controller', 'a:1', '--snapshot', 'x'], '--snapshot and --snapshot-key must be given together'],
    [['--controller', 'a:1', '--sidecar', '--snapshot', 'x', '--snapshot-key', 'y'], 'a sidecar keeps no secrets'],
    [['--controller', 'a:1', '--app-port', '8080'], '--app-port needs --sidecar'],
    [['--controller', 'a:1', '--token-file', 'x', '--bootstrap-token-file', 'y'], 'cannot be given together'],
    [['--controller', 'a:1', '--label', 'x'], 'must be NAME=VALUE'],
    [[], '--controller'],
  ])('%j is refused', async (words, reason) => {
    const { code, stderr } = await runProgram(gatewarden, ['dataplane', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });
});
