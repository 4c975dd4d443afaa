import { statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Gauge, Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ControllerAdminSource, controllerAdmin } from '../../../controller/admin/controller-admin.ts';
import { monitoringEndpoint } from '../../../dataplane/supervisor/monitoring-endpoint.ts';
import { type AdminGuard, closedGuard, loopbackGuard, openGuard } from '../../../platform/admin/admin-guard.ts';
import type { AdminCertificate, AdminServer } from '../../../platform/admin/admin-server.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

let waits: string | null = null;

const sourceWith = (registry: Registry): ControllerAdminSource => ({
  registry,
  waitsFor: () => waits,
  status: () => ({ controller: 'a' }),
  dump: () => '{"revision":"r1"}',
  monitoring: monitoringEndpoint(() => [{ _id: 'heap.a/b', _rev: null, _type: 'counter', count: 1 }]),
});

function failed(error: unknown): void {
  throw error;
}

async function open(
  guard: AdminGuard,
  certificate: AdminCertificate | null = null,
  registry = new Registry(),
): Promise<{ admin: AdminServer; port: number }> {
  const admin = controllerAdmin({ source: sourceWith(registry), guard, certificate, failed });
  onTestFinished(() => admin.close());
  const { port } = await admin.listen({ host: '127.0.0.1', port: 0 });
  return { admin, port };
}

function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  ca?: string,
  socketPath?: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const where = socketPath === undefined ? { host: '127.0.0.1', port } : { socketPath };
    const options = { ...where, path, method, headers, agent: false } as const;
    const answered = (response: IncomingMessage): void => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve(`${response.statusCode} ${text}`.trim()));
    };
    const asking = ca === undefined ? request(options, answered) : secureRequest({ ...options, ca }, answered);
    asking.on('error', reject);
    asking.end();
  });
}

describe('an admin address for this machine', () => {
  it.each([
    ['/health/live', '200 alive'],
    ['/health/ready', '200 ready'],
    ['/metrics', '200'],
    ['/openig/metrics/prometheus', '200'],
    ['/status', '200 {"controller":"a"}'],
    ['/dump', '200 {"revision":"r1"}'],
    [
      '/openig/metrics/api?_queryFilter=count+gt+1',
      '200 {"results":[],"resultCount":0,"pagedResultsCookie":null,"totalPagedResultsPolicy":"NONE",' +
        '"totalPagedResults":-1,"remainingPagedResults":-1}',
    ],
    ['/openig/metrics/api/heap.a%2Fb', '200 {"_id":"heap.a/b","_rev":null,"_type":"counter","count":1}'],
    [
      '/openig/metrics/api/%',
      '400 {"code":400,"reason":"Bad Request","message":"the path is not percent-encoded UTF-8"}',
    ],
    [
      '/other',
      '404 not found; the paths are /health/live, /health/ready, /metrics, /status, /dump and /openig/metrics/api',
    ],
  ])('answers %s', async (path, answer) => {
    const { port } = await open(loopbackGuard);
    expect(await ask(port, path)).toBe(answer);
  });

  it('is not ready before it has a snapshot, and says what it waits for', async () => {
    const { port } = await open(loopbackGuard);
    waits = 'Routes are not listed';
    onTestFinished(() => {
      waits = null;
    });
    expect(await ask(port, '/health/ready')).toBe('503 not ready: Routes are not listed');
  });

  it.each([
    ['a page of the web', { origin: 'https://evil.test' }],
    ['a proxy', { 'x-forwarded-for': '192.0.2.1' }],
    ['another name for this address', { host: 'evil.test' }],
  ])('does not show more than health and metrics through %s', async (_, headers) => {
    const { port } = await open(loopbackGuard);
    expect(await ask(port, '/dump', headers)).toBe('403 only reachable from this machine');
    expect(await ask(port, '/health/live', headers)).toBe('200 alive');
  });

  it('changes nothing', async () => {
    const { port } = await open(loopbackGuard);
    for (const path of ['/status', '/metrics', '/health/live'])
      expect(await ask(port, path, {}, 'POST')).toBe('405 use GET');
  });
});

it('shows health and metrics only where no token may be sent', async () => {
  const { port } = await open(closedGuard('ask port 9443'));
  expect(await ask(port, '/metrics')).toBe('200');
  for (const path of ['/status', '/dump', '/openig/metrics/api?_queryFilter=true', '/other']) {
    expect(await ask(port, path, { authorization: 'Bearer any' })).toBe(
      '403 only health and metrics are served here: ask port 9443',
    );
  }
});

it('speaks TLS, and uses a new certificate for new connections', async () => {
  const [first, second] = [certificateAuthority('first'), certificateAuthority('second')];
  const issue = ({ issue: make }: typeof first): AdminCertificate => {
    const { certificate, key } = make({ names: ['127.0.0.1'] });
    return { cert: certificate, key };
  };
  const { admin, port } = await open(loopbackGuard, issue(first));
  expect(await ask(port, '/status', {}, 'GET', first.certificate)).toBe('200 {"controller":"a"}');
  admin.renew(issue(second));
  expect(await ask(port, '/status', {}, 'GET', second.certificate)).toBe('200 {"controller":"a"}');
  await expect(ask(port, '/status', {}, 'GET', first.certificate)).rejects.toThrow();
});

it('renders the metrics once for concurrent scrapes', async () => {
  const registry = new Registry();
  let written = 0;
  new Gauge({ name: 'gw_test', help: 'A test.', registers: [registry], collect: () => void written++ });
  const { port } = await open(closedGuard('elsewhere'), null, registry);
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(port, '/metrics')));
  expect(new Set(answers).size).toBe(1);
  expect(written).toBeLessThan(10);
});

describe('an admin socket', () => {
  const socket = (): string => join(watchedDirectory().path, 'admin.sock');
  const openAt = async (path: string): Promise<AdminServer> => {
    const source = sourceWith(new Registry());
    const admin = controllerAdmin({ source, guard: openGuard, certificate: null, failed });
    onTestFinished(() => admin.close());
    await admin.listenAt(path);
    return admin;
  };
  const asked = (path: string): Promise<string> => ask(0, '/status', { host: 'localhost' }, 'GET', undefined, path);

  it('is for its own user, and shows everything', async () => {
    const path = socket();
    await openAt(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await asked(path)).toBe('200 {"controller":"a"}');
  });

  it('replaces a stale socket of a killed process, and nothing else', async () => {
    const path = socket();
    const killed = createServer();
    await new Promise<void>((resolve) => killed.listen({ path }, resolve));
    await openAt(path);
    expect(await asked(path)).toBe('200 {"controller":"a"}');
    killed.close();
    const file = socket();
    writeFileSync(file, 'mine');
    await expect(openAt(file)).rejects.toThrow('EADDRINUSE');
  });
});
