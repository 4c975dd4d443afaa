import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Registry } from 'prom-client';
import { afterEach, expect, it } from 'vitest';
import { isLoopback } from '../../../contract/own-machine.ts';
import { adminPort } from '../../../dataplane/supervisor/admin-port.ts';
import type { AdminServer } from '../../../platform/admin/admin-server.ts';
import { ask } from '../../support/clients/answers.ts';

let admin: AdminServer;
let ready = true;
let prefix = 'openig';
const restarted: number[] = [];

function open(isInPod = false): AdminServer {
  admin = adminPort({
    registry: new Registry(),
    get ready() {
      return ready;
    },
    status: { draining: false },
    get prefix() {
      return prefix;
    },
    isInPod,
    monitoring: () => [{ _id: 'heap._router.route.a.request', _rev: null, _type: 'counter', count: 3 }],
    restartUnit: (unit) => restarted.push(unit) > 0 && unit < 2,
    failed(error) {
      throw error;
    },
  });
  return admin;
}
afterEach(() => admin.close());

it('uses any free port when its own is in use, if allowed', async () => {
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const { port } = squatter.address() as AddressInfo;
  await expect(open().listen({ host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
  const bound = await open().listen({ host: '127.0.0.1', port, orAnyPort: true });
  expect(bound.port).not.toBe(port);
  expect((await fetch(`http://127.0.0.1:${bound.port}/health/live`)).status).toBe(200);
  squatter.close();
});

it('does not try another port when the address is invalid', async () => {
  await expect(open().listen({ host: '203.0.113.1', port: 0, orAnyPort: true })).rejects.toThrow('EADDRNOTAVAIL');
});

it('answers only its own paths', async () => {
  const { port } = await open().listen({ host: '127.0.0.1', port: 0 });
  const status = async (path: string, method = 'GET'): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method })).status;
  expect(await status('/health/live')).toBe(200);
  expect(await status('/health/live?x')).toBe(200);
  expect(await status('/health/live', 'HEAD')).toBe(200);
  expect(await status('/openig/metrics/api?_queryFilter=true', 'HEAD')).toBe(200);
  expect(await status('/health/ready')).toBe(200);
  ready = false;
  expect(await status('/health/ready')).toBe(503);
  expect(await status('/health/live')).toBe(200);
  expect(await status('/openig/ping')).toBe(200);
  expect(await status('/openig/ping', 'POST')).toBe(405);
  expect(await status('/metrics')).toBe(200);
  expect(await status('/')).toBe(200);
  expect(await status('/units/1/restart', 'POST')).toBe(202);
  expect(await status('/units/2/restart', 'POST')).toBe(404);
  expect(await status('/units/1/restart')).toBe(405);
  expect(await status('/units/x/restart', 'POST')).toBe(404);
  expect(await status('/health/live', 'POST')).toBe(405);
  expect(await status('/metrics', 'DELETE')).toBe(405);
  expect(await status('/anything')).toBe(404);
  expect(restarted).toEqual([1, 2]);
});

it('moves its administrative paths with the prefix of the configuration', async () => {
  const { port } = await open().listen({ host: '127.0.0.1', port: 0 });
  const status = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  expect(await status('/openig/ping')).toBe(200);
  prefix = 'gateway';
  expect(await status('/gateway/ping')).toBe(200);
  expect(await status('/gateway/metrics/api?_queryFilter=true')).toBe(200);
  expect(await status('/openig/ping')).toBe(404);
  prefix = 'openig';
});

it('lists the allowed methods of a path', async () => {
  const { port } = await open().listen({ host: '127.0.0.1', port: 0 });
  const allowed = async (path: string, method: string): Promise<string | null> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method })).headers.get('allow');
  expect(await allowed('/metrics', 'DELETE')).toBe('GET, HEAD');
  expect(await allowed('/units/1/restart', 'GET')).toBe('POST');
});

it('rejects clients of a proxy and web pages from any address', async () => {
  const { port } = await open().listen({ host: '127.0.0.1', port: 0 });
  const asked = async (line: string): Promise<number> => {
    const host = line.startsWith('Host:') ? line : `Host: localhost:${port}\r\n${line}`;
    return (await ask(port, `POST /units/1/restart HTTP/1.1\r\n${host}\r\n`)).status;
  };
  expect(await asked('Accept: */*')).toBe(202);
  expect(await asked('Host: [::1]')).toBe(202);
  for (const line of [
    'Via: 1.1 gatewarden',
    'X-Forwarded-For: 192.0.2.1',
    'Forwarded: for=192.0.2.1',
    'Origin: http://evil.example',
    'Origin: null',
    'Host: evil.example',
    'Host: 127.0.0.1.evil.example',
  ]) {
    expect([line, await asked(line)]).toEqual([line, 403]);
  }
});

it.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['192.0.2.2', false],
  ['::ffff:192.0.2.2', false],
  ['128.0.0.1', false],
  ['fe80::1', false],
  ['::', false],
  ['1127.0.0.1', false],
  ['127.0.0.1.evil', false],
  ['', false],
  [undefined, false],
])('treats %s as this machine: %s', (address, verdict) => {
  open();
  expect(isLoopback(address)).toBe(verdict);
});

it('serves only health and metrics in a Pod, where other clients also use loopback', async () => {
  const { port } = await open(true).listen({ host: '127.0.0.1', port: 0 });
  const status = async (path: string, method = 'GET'): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method })).status;
  restarted.length = 0;
  expect(await status('/health/live')).toBe(200);
  expect(await status('/metrics')).toBe(200);
  expect(await status('/')).toBe(403);
  expect(await status('/units/1/restart', 'POST')).toBe(403);
  expect(restarted).toEqual([]);
});
