import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { sharedResourceHash } from '../../../../contract/shared-resources.ts';
import type { SharedObjects } from '../../../../contract/snapshot.ts';
import { toSyslog } from '../../../support/audit/audit-resources.ts';
import { AuditedEvents } from '../../../support/audit/audited-events.ts';
import { startTenants, type TenantRoute } from '../../../support/gateways/tenant-gateway.ts';

const KEY = 'AuditService/shop/audit';
const PATIENCE = { timeout: 60_000, interval: 20 };

/** The resource of an AuditService with one handler to this host. */
function service(host: string): SharedObjects {
  const objects = [{ name: 'shop/audit', type: 'AuditService', config: toSyslog(host) }];
  const resource = { type: 'objects', key: KEY, objects, files: {} } as const;
  return { ...resource, hash: sharedResourceHash(resource) };
}

function audited(name: string, handler: JsonObject): TenantRoute {
  const condition = `\${request.uri.path == '/${name}'}`;
  return { document: { condition, handler, auditService: 'audit' }, tenant: 'shop', resources: { audit: KEY } };
}

const answering: JsonObject = { type: 'StaticResponseHandler', config: { status: 200 } };
const routeOf = (event: JsonObject): unknown => (event['ig'] as JsonObject)['routeId'];
const hostsOf = ({ opened }: AuditedEvents): unknown[] =>
  opened.map(({ handlers: [handler] }) => (handler!.options as { readonly host: string }).host);

it('is one service for all routes of a tenant that name it', async () => {
  const events = new AuditedEvents();
  const routes = { a: audited('a', answering), b: audited('b', answering) };
  const gateway = await startTenants(routes, { resources: [service('one')], auditLink: events });
  expect(gateway.problems).toEqual([]);
  expect(events.openServices).toBe(1);
  for (const [at, name] of ['a', 'b'].entries()) {
    expect((await gateway.get(`/${name}`)).status).toBe(200);
    expect(routeOf(await events.event(at))).toBe(name);
  }
  gateway.change({ a: null });
  expect((await gateway.get('/b')).status).toBe(200);
  expect(routeOf(await events.event(2))).toBe('b');
  expect(hostsOf(events)).toEqual(['one']);
});

it('records a request that its change overtook', async () => {
  const held: ServerResponse[] = [];
  const backend = createServer((_, response) => {
    held.push(response);
    backend.emit('held');
  });
  backend.listen(0, '127.0.0.1');
  await once(backend, 'listening');
  onTestFinished(() => void backend.close());
  const { port } = backend.address() as AddressInfo;
  const events = new AuditedEvents();
  const routes = { a: audited('a', { type: 'ReverseProxyHandler', baseURI: `http://127.0.0.1:${port}` }) };
  const trust = { egress: [`127.0.0.1:${port}`] };
  const gateway = await startTenants(routes, { resources: [service('one')], auditLink: events, trust });
  const isHeld = once(backend, 'held');
  const underWay = gateway.get('/a');
  await isHeld;

  expect(gateway.change({}, { set: [service('two')], remove: [] })).toEqual([]);
  await vi.waitFor(() => expect(hostsOf(events)).toEqual(['one', 'two']), PATIENCE);
  await vi.waitFor(() => expect(events.openServices).toBe(1), PATIENCE);
  held[0]?.end();
  expect((await underWay).status).toBe(200);
  expect(routeOf(await events.event(0))).toBe('a');
  expect(hostsOf(events)).toEqual(['one', 'two', 'one']);
  await vi.waitFor(() => expect(events.openServices).toBe(1), PATIENCE);
});
