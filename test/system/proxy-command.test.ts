import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { EchoBackend } from '../support/backends/echo-backend.ts';
import { refusalOf } from '../support/clients/answers.ts';
import { parseAnswers, type RawAnswer, RawClient } from '../support/clients/raw-client.ts';
import { GatewayProcess } from '../support/gateways/gateway-process.ts';
import { gatewarden, runProgram } from '../support/programs/run-program.ts';

let backend: EchoBackend;
let gateway: GatewayProcess | undefined;
const folder = mkdtempSync(join(tmpdir(), 'gatewarden-'));

beforeAll(async () => {
  backend = await EchoBackend.start();
});
afterAll(async () => {
  await backend.close();
  rmSync(folder, { recursive: true });
});
afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
});

async function start(words: readonly string[], to = backend.url): Promise<GatewayProcess> {
  gateway = await GatewayProcess.start(to, words);
  return gateway;
}

/** Asks for a path on a connection of its own, which is closed afterwards: a kept one would delay the stop. */
async function get(path: string, { lines = '', body = '', host = '127.0.0.1' } = {}): Promise<RawAnswer> {
  const client = await RawClient.connect(gateway!.port, host);
  const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
  client.send(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${lines}${length}\r\n${body}`);
  await client.untilClosed();
  client.destroy();
  return parseAnswers(client.text)[0]!;
}

describe('gatewarden proxy', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('serves until %s, logs its steps, and exits with 0', async (signal) => {
    const { port, said } = await start([]);
    expect((await get('/hello?x')).body).toBe('answer to /hello?x');
    gateway!.signal(signal);
    expect(await gateway!.ended()).toBe(0);
    expect(said.map(({ msg }) => msg)).toEqual(['listening', 'draining', 'stopped']);
    expect(said[0]).toMatchObject({ addresses: [`http://127.0.0.1:${port}`], units: 1, level: 30, name: 'gatewarden' });
  });

  it('ends at once at the second signal', async () => {
    const held = await EchoBackend.start({ host: '127.0.0.1' }, () => {});
    await start([], held.url);
    const client = await RawClient.connect(gateway!.port);
    client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    await vi.waitFor(() => expect(held.requests).toHaveLength(1));
    gateway!.signal('SIGTERM');
    await vi.waitFor(() => expect(gateway!.said.map(({ msg }) => msg)).toContain('draining'));
    gateway!.signal('SIGTERM');
    expect(await gateway!.ended()).toBe(128 + 15);
    client.destroy();
    await held.close();
  });

  it('closes unfinished connections at the drain timeout, logs it, and exits with 0', async () => {
    const held = await EchoBackend.start({ host: '127.0.0.1' }, () => {});
    await start(['--drain-timeout', '200ms'], held.url);
    const client = await RawClient.connect(gateway!.port);
    client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    await vi.waitFor(() => expect(held.requests).toHaveLength(1));
    expect(await gateway!.stop()).toBe(0);
    expect(gateway!.said).toContainEqual(
      expect.objectContaining({ msg: 'drain timeout: closed unfinished connections', connections: 1, level: 40 }),
    );
    client.destroy();
    await held.close();
  });

  it('stops while a unit is being replaced', async () => {
    await start(['--units', '2']);
    for (const unit of [0, 1]) expect((await gateway!.admin(`/units/${unit}/restart`, 'POST')).status).toBe(202);
    expect(await gateway!.stop()).toBe(0);
  });

  it('forwards to a Unix-domain socket', async () => {
    const local = await EchoBackend.start({ path: join(folder, 'backend.sock') });
    await start([], local.url);
    expect((await get('/local')).body).toBe('answer to /local');
    expect(local.requests[0]!.headers).toMatchObject({ host: 'h', 'x-forwarded-for': '127.0.0.1' });
    await local.close();
  });

  it('answers 502 while nothing listens on the socket', async () => {
    await start([], `unix:${join(folder, 'nobody.sock')}`);
    const answer = await get('/');
    expect(answer.status).toBe(502);
    expect(refusalOf(answer)).toBe('backend-connect');
  });

  it('puts a base path before every path', async () => {
    await start([], `${backend.url}/base/path/`);
    expect((await get('/a?b')).body).toBe('answer to /base/path/a?b');
    expect((await get('/')).body).toBe('answer to /base/path/');
    expect((await get('/%6f')).body).toBe('answer to /base/path/o');
  });

  it('serves every interface, and reports IPv4 clients by their IPv4 address', async () => {
    await start(['--listen', ':0']);
    expect((await get('/')).body).toBe('answer to /');
    expect(backend.requests.at(-1)!.headers['x-forwarded-for']).toBe('127.0.0.1');
  });

  const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses!.some(({ address }) => address === '::1'),
  );
  it('serves and forwards over IPv6 if available', async () => {
    if (!hasIPv6) return;
    const local = await EchoBackend.start({ host: '::1' });
    const { port, said } = await start(['--listen', '[::1]:0'], local.url);
    expect(said[0]!['addresses']).toEqual([`http://[::1]:${port}`]);
    expect((await get('/six', { host: '::1' })).body).toBe('answer to /six');
    expect(local.requests[0]!.headers['x-forwarded-for']).toBe('::1');
    await local.close();
  });

  it('ignores client addresses claimed by clients, and accepts those of trusted proxies', async () => {
    await start(['--trusted-proxies', '127.0.0.0/8']);
    await get('/', { lines: 'X-Forwarded-For: 192.0.2.7\r\n' });
    expect(backend.requests.at(-1)!.headers['x-forwarded-for']).toBe('192.0.2.7, 127.0.0.1');
  });

  it('applies the given limits to clients', async () => {
    await start(['--limits', 'targetBytes=10,bodyBytes=3']);
    expect((await get('/123456789')).status).toBe(200);
    expect((await get('/1234567890')).status).toBe(414);
    expect((await get('/', { body: 'four' })).status).toBe(413);
  });
});

describe('gatewarden proxy that cannot start', () => {
  async function squat(): Promise<{ port: number; close: () => void }> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  }

  it.each([
    ['--listen', 'the traffic address'],
    ['--admin', 'the admin address'],
  ])('reports that %s is in use', async (option) => {
    const squatter = await squat();
    const address = `127.0.0.1:${squatter.port}`;
    const words = { '--listen': '127.0.0.1:0', '--admin': '127.0.0.1:0', [option]: address };
    const { code, stderr, stdout } = await runProgram(gatewarden, [
      'proxy',
      '--to',
      backend.url,
      ...Object.entries(words).flat(),
    ]);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      new RegExp(`^gatewarden proxy: ${address}, .* is in use: .*; choose another one with ${option}$`, 'm'),
    );
    expect(stderr).not.toContain('    at ');
    squatter.close();
  });

  it('does not share the port of another gateway', async () => {
    const first = await GatewayProcess.start(backend.url);
    const address = `127.0.0.1:${first.port}`;
    const words = ['proxy', '--listen', address, '--admin', 'off', '--to', backend.url];
    const { code, stderr } = await runProgram(gatewarden, words);
    expect(code).toBe(1);
    expect(stderr).toContain(`gatewarden proxy: ${address}, the traffic address, is in use`);
    await first.stop();
  });

  it('reports that the access log cannot be opened', async () => {
    const file = join(folder, 'no', 'such', 'folder', 'access.log');
    const words = ['proxy', '--to', backend.url, '--listen', '127.0.0.1:0', '--admin', 'off', '--access-log', file];
    const { code, stderr } = await runProgram(gatewarden, words);
    expect(code).toBe(1);
    expect(stderr).toContain(`no such file or directory, open '${file}'`);
  });

  it('reports that an address does not belong to this machine', async () => {
    const words = ['proxy', '--to', backend.url, '--listen', '203.0.113.1:0', '--admin', 'off'];
    const { code, stderr } = await runProgram(gatewarden, words);
    expect(code).toBe(1);
    expect(stderr).toMatch(/the traffic address, is not an address of this machine; choose .* --listen$/m);
  });
});
