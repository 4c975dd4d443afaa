import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isWell, statusLines } from '../../../cli/output/status-lines.ts';
import { type PlaneReport, type StatusReport, withLeaderPlanes } from '../../../controller/admin/status-report.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const plane = (name: string, over: Partial<PlaneReport> = {}): PlaneReport => ({
  plane: name,
  group: 'default',
  controller: 'controller-0',
  state: 'current',
  version: '1.0.0',
  age: 3_700_000,
  revision: 'abcdef0123456789',
  lag: null,
  routes: 12,
  ready: true,
  clockAhead: 3,
  problems: [],
  ...over,
});

const report: StatusReport = {
  controller: 'controller-0',
  leader: { name: 'controller-0', address: '192.0.2.1:9444' },
  isLeader: true,
  waitsFor: null,
  revision: 'abcdef0123456789',
  followers: ['controller-1'],
  baseProblems: [],
  resources: [
    { kind: 'Route', count: 12, notAccepted: 1, refsNotResolved: 2 },
    { kind: 'SecretStore', count: 1, notAccepted: 0, refsNotResolved: 0 },
  ],
  watches: [{ kind: 'Route', scope: '', isSynced: true, objects: 12, age: 10, relists: 0, fault: null }],
  planes: [plane('edge/gw-1')],
};

describe('a status', () => {
  it('is a table for people', () => {
    expect(statusLines(report)).toEqual([
      'controller  controller-0, leads, followed by controller-1',
      'ready       yes',
      'revision    abcdef012345',
      'resources   12 Routes (1 not accepted, 2 with unresolved references), 1 SecretStore',
      '',
      'PLANE      GROUP    STATE    REVISION      LAG  ROUTES  ENDPOINTS  READY  AGE   CONTROLLER',
      'edge/gw-1  default  current  abcdef012345  -    12      -          yes    1h1m  controller-0',
    ]);
  });

  it('counts endpoints that can serve, and names the Backends that lack some', () => {
    const backends = [
      { router: '', route: '', name: 'payments', total: 0, ejected: 0, down: 0 },
      { router: '_router', route: 'shop-orders', name: 'orders', total: 5, ejected: 1, down: 2 },
      { router: '_router', route: 'shop-carts', name: 'carts', total: 3, ejected: 0, down: 0 },
    ];
    const lines = statusLines({ ...report, planes: [plane('edge/gw-1', { backends })] });
    expect(lines[6]).toContain('  12      5/8        yes');
    expect(lines.slice(-3)).toEqual([
      '',
      'data plane edge/gw-1: Backends payments has no endpoints',
      'data plane edge/gw-1: Backends orders of shop-orders: of 5 endpoints, 1 ejected and 2 without answers to probes',
    ]);
  });

  it('prints why a base configuration is not used', () => {
    const error = "error: heap[0].type: there is no type 'Foo' [unknown-type]\n  at config.json";
    const lines = statusLines({ ...report, baseProblems: [error] });
    expect(lines.slice(-4)).toEqual([
      '',
      'the base configuration is not valid; the last good one stays in effect, if there is one:',
      "  error: heap[0].type: there is no type 'Foo' [unknown-type]",
      '    at config.json',
    ]);
  });

  it('prints why data planes do not share sessions', () => {
    expect(statusLines({ ...report, sessionKeysFault: 'secrets is forbidden' }).at(-1)).toBe(
      'session keys cannot be read or written; new data planes do not share sessions: secrets is forbidden',
    );
  });

  it('of a follower that could not reach the leader says that data planes may be missing', () => {
    const lines = statusLines({ ...report, isLeader: false, planes: [], leaderFault: 'connection refused' });
    expect(lines).toContain('no data planes are connected to this controller');
    expect(lines.at(-1)).toBe('the leader could not be asked for its data planes: connection refused');
  });

  it('of a follower lists the data planes of the leader', async () => {
    const own: StatusReport = { ...report, isLeader: false, planes: [] };
    const planes = [plane('edge/gw-1'), plane('edge/gw-2')];
    expect(await withLeaderPlanes(own, async () => Buffer.from(JSON.stringify(planes)))).toEqual({ ...own, planes });
    const silent = await withLeaderPlanes(own, async () => Promise.reject(new Error('no answer')));
    expect(silent).toEqual({ ...own, leaderFault: 'no answer' });
    expect([isWell(own), isWell(silent)]).toEqual([true, false]);
  });

  it('lists what needs attention', () => {
    const problems = [{ route: 'shop.orders', message: 'handler: no\u001b[2Jsuch' }];
    const lines = statusLines({
      ...report,
      isLeader: false,
      waitsFor: 'Routes are not listed',
      leader: { name: 'controller-1', address: '192.0.2.2:9444' },
      watches: [{ ...report.watches[0]!, fault: 'the API server did not answer: ECONNREFUSED' }],
      planes: [plane('edge/gw-1', { state: 'behind', lag: 1500, problems, clockAhead: -60_000 })],
    });
    expect(lines[0]).toBe('controller  controller-0, follows controller-1 at 192.0.2.2:9444');
    expect(lines[1]).toBe('ready       no: Routes are not listed');
    expect(lines.slice(-5)).toEqual([
      '',
      'data plane edge/gw-1 failed to build shop.orders:',
      '  handler: no\uFFFD[2Jsuch',
      'data plane edge/gw-1: its clock is 1m0s behind',
      'watch of Route: the API server did not answer: ECONNREFUSED',
    ]);
  });
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

describe('the command status', () => {
  it.each([
    ['all is well', report, 0],
    ['a plane is behind', { ...report, planes: [plane('edge/gw-1', { state: 'behind' })] }, 3],
    ['the base configuration is not valid', { ...report, baseProblems: ['error: no'] }, 3],
    ['session keys are missing', { ...report, sessionKeysFault: 'forbidden' }, 3],
    ['the controller is not ready', { ...report, waitsFor: 'Routes are not listed' }, 3],
  ])('exits with a code that reports whether %s', async (_, shown, code) => {
    const port = await listening(createServer((_request, response) => response.end(JSON.stringify(shown))));
    const ran = await runProgram(gatewarden, ['status', '--admin', `http://127.0.0.1:${port}`, '--json']);
    expect(ran.code).toBe(code);
    expect(JSON.parse(ran.stdout)).toEqual(shown);
  });

  it('prints why a controller could not be reached', async () => {
    const port = await listening(createServer((_, response) => response.writeHead(403).end('you may not\n')));
    const refused = await runProgram(gatewarden, ['status', '--admin', `http://127.0.0.1:${port}`]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('/status answered 403: you may not') });
    const other = await listening(createServer((_, response) => response.end('{}')));
    const foreign = await runProgram(gatewarden, ['status', '--admin', `http://127.0.0.1:${other}`]);
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringContaining('not from a controller') });
  });

  it('sends its token only over TLS to a server that the CA verifies', async () => {
    const authority = certificateAuthority('controllers');
    const { chain, key } = authority.issue({ names: ['127.0.0.1'] });
    const seen: (string | undefined)[] = [];
    const secure = createSecureServer({ cert: chain, key }, ({ headers }, response) => {
      seen.push(headers.authorization);
      response.end(JSON.stringify(report));
    });
    const port = await listening(secure);
    const folder = watchedDirectory().path;
    const [token, ca] = [join(folder, 'token'), join(folder, 'ca.pem')];
    writeFileSync(token, 'my-token\n');
    writeFileSync(ca, authority.certificate);
    const url = `https://127.0.0.1:${port}`;
    const ran = await runProgram(gatewarden, ['status', '--admin', url, '--token-file', token, '--ca-file', ca]);
    expect(ran.code).toBe(0);
    expect(seen).toEqual(['Bearer my-token']);
    const unknown = await runProgram(gatewarden, ['status', '--admin', url, '--token-file', token]);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot reach') });
    const open = await runProgram(gatewarden, ['dump', '--admin', `http://127.0.0.1:${port}`, '--token-file', token]);
    expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining('over https only') });
    expect(seen).toHaveLength(1);
  });

  it('uses the given socket, or that of the controller in the same Pod', async () => {
    const folder = watchedDirectory().path;
    const path = join(folder, 'gatewarden-controller.sock');
    const server = createServer((_request, response) => response.end(JSON.stringify(report)));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    const told = await runProgram(gatewarden, ['status', '--admin', `unix:${path}`, '--json']);
    expect(JSON.parse(told.stdout)).toEqual(report);
    const inPod = { env: { ...process.env, KUBERNETES_SERVICE_HOST: '10.0.0.1', TMPDIR: folder } };
    const found = await runProgram(gatewarden, ['status', '--json'], inPod);
    expect(JSON.parse(found.stdout)).toEqual(report);
    const gone = await runProgram(gatewarden, ['dump', '--admin', `unix:${folder}/none.sock`]);
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringMatching(/cannot reach .*none\.sock: .*ENOENT/) });
    const wrong = await runProgram(gatewarden, ['status', '--admin', 'unix:none.sock']);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('unix:/PATH') });
  });
});
