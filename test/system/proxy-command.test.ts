import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EchoBackend } from '../support/echo-backend.ts';
import { GatewayProcess } from '../support/gateway-process.ts';
import { RawClient } from '../support/raw-client.ts';
import { gatewarden, runProgram } from '../support/run-program.ts';

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

async function ask(url: string): Promise<string> {
  return (await fetch(url)).text();
}

describe('gatewarden proxy', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('serves until %s, says what it does, and exits with 0', async (signal) => {
    const { port, said } = await start([]);
    expect(await ask(`http://127.0.0.1:${port}/hello?x`)).toBe('answer to /hello?x');
    gateway!.signal(signal);
    expect(await gateway!.ended()).toBe(0);
    expect(said.map(({ msg }) => msg)).toEqual(['listening', 'draining', 'stopped']);
    expect(said[0]).toMatchObject({ address: `127.0.0.1:${port}`, units: 1, level: 30, name: 'gatewarden' });
  });

  it('ends at once at the second signal', async () => {
    const held = await EchoBackend.start({ host: '127.0.0.1' }, () => {});
    await start([], held.url);
    const client = await RawClient.connect(gateway!.port);
    client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    while (held.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    gateway!.signal('SIGTERM');
    while (!gateway!.said.some(({ msg }) => msg === 'draining')) await new Promise((resolve) => setImmediate(resolve));
    gateway!.signal('SIGTERM');
    expect(await gateway!.ended()).toBe(128 + 15);
    client.destroy();
    await held.close();
  });

  it('cuts off what does not finish in time, says so, and exits with 0', async () => {
    const held = await EchoBackend.start({ host: '127.0.0.1' }, () => {});
    await start(['--drain-timeout', '200ms'], held.url);
    const client = await RawClient.connect(gateway!.port);
    client.send('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    while (held.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await gateway!.stop()).toBe(0);
    expect(gateway!.said).toContainEqual(
      expect.objectContaining({ msg: 'cut off what did not finish in time', connections: 1, level: 40 }),
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
    const { port } = await start([], local.url);
    expect(await ask(`http://127.0.0.1:${port}/local`)).toBe('answer to /local');
    expect(local.requests[0]!.headers).toMatchObject({ host: `127.0.0.1:${port}`, 'x-forwarded-for': '127.0.0.1' });
    await local.close();
  });

  it('says 502 while nothing listens on the socket', async () => {
    const { port } = await start([], `unix:${join(folder, 'nobody.sock')}`);
    const response = await fetch(`http://127.0.0.1:${port}/`);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ refusal: 'backend-connect' });
  });

  it('puts a base path before every path', async () => {
    const { port } = await start([], `${backend.url}/base/path/`);
    expect(await ask(`http://127.0.0.1:${port}/a?b`)).toBe('answer to /base/path/a?b');
    expect(await ask(`http://127.0.0.1:${port}`)).toBe('answer to /base/path/');
    expect(await ask(`http://127.0.0.1:${port}/%6f`)).toBe('answer to /base/path/o');
  });

  it('serves every interface, and tells IPv4 clients by their IPv4 address', async () => {
    const { port } = await start(['--listen', ':0']);
    expect(await ask(`http://127.0.0.1:${port}/`)).toBe('answer to /');
    expect(backend.requests.at(-1)!.headers['x-forwarded-for']).toBe('127.0.0.1');
  });

  const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
    addresses!.some(({ address }) => address === '::1'),
  );
  it('serves and forwards over IPv6 where there is any', async () => {
    if (!hasIPv6) return;
    const local = await EchoBackend.start({ host: '::1' });
    const { port, said } = await start(['--listen', '[::1]:0'], local.url);
    expect(said[0]!['address']).toBe(`[::1]:${port}`);
    expect(await ask(`http://[::1]:${port}/six`)).toBe('answer to /six');
    expect(local.requests[0]!.headers['x-forwarded-for']).toBe('::1');
    await local.close();
  });

  it('keeps the client’s address out of reach of the client, and believes proxies it is told to trust', async () => {
    const { port } = await start(['--trusted-proxies', '127.0.0.0/8']);
    await fetch(`http://127.0.0.1:${port}/`, { headers: { 'X-Forwarded-For': '192.0.2.7' } });
    expect(backend.requests.at(-1)!.headers['x-forwarded-for']).toBe('192.0.2.7, 127.0.0.1');
  });

  it('holds clients to the limits it is given', async () => {
    const { port } = await start(['--limits', 'targetBytes=10,bodyBytes=3']);
    expect((await fetch(`http://127.0.0.1:${port}/123456789`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}/1234567890`)).status).toBe(414);
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'four' })).status).toBe(413);
  });

  it('takes any free admin port when the usual one is taken, and says so', async () => {
    const squatter = createServer().listen({ port: 9090, host: '127.0.0.1' }); // house-rule: the port under test
    const taken = await once(squatter, 'listening').then(
      () => true,
      () => true, // somebody else has it: as good
    );
    expect(taken).toBe(true);
    const { said, adminPort } = await start(['--admin', 'auto']);
    expect(adminPort).not.toBe(9090);
    expect((await gateway!.admin('/health/ready')).status).toBe(200);
    expect(said).toContainEqual(
      expect.objectContaining({ level: 40, taken: 9090, msg: 'the admin port is taken: another one is used' }),
    );
    squatter.close();
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
  ])('says that %s is taken', async (option) => {
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
    expect(stderr).toContain(`gatewarden proxy: listen EADDRINUSE: address already in use ${address}\n`);
    expect(stderr).not.toContain('    at ');
    squatter.close();
  });

  it('says that the access log cannot be opened', async () => {
    const file = join(folder, 'no', 'such', 'folder', 'access.log');
    const words = ['proxy', '--to', backend.url, '--listen', '127.0.0.1:0', '--admin', 'off', '--access-log', file];
    const { code, stderr } = await runProgram(gatewarden, words);
    expect(code).toBe(1);
    expect(stderr).toContain(`no such file or directory, open '${file}'`);
  });

  it('says that an address does not belong to this machine', async () => {
    const words = ['proxy', '--to', backend.url, '--listen', '203.0.113.1:0', '--admin', 'off'];
    const { code, stderr } = await runProgram(gatewarden, words);
    expect(code).toBe(1);
    expect(stderr).toContain('EADDRNOTAVAIL');
  });
});
