import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { sharedResourceHash } from '../../../../../contract/shared-resources.ts';
import type { ServiceEndpoints } from '../../../../../contract/snapshot.ts';
import {
  startTenants,
  TENANT,
  type TenantGateway,
  type TenantRoute,
} from '../../../../support/gateways/tenant-gateway.ts';

const KEY = 'Service/store/orders';
const OPEN = { trust: { egress: ['127.0.0.1'] } };

/** An endpoint that answers with a text. @returns its port */
async function endpoint(text: string): Promise<number> {
  const server = createServer((_, answer) => answer.end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

function service(...ports: readonly number[]): ServiceEndpoints {
  const targets = ports.map((port) => ({ addresses: ['127.0.0.1'], ports: { http: port } }));
  const made = { type: 'service-endpoints', key: KEY, ports: [{ name: 'http', port: 80 }], targets } as const;
  return { ...made, hash: sharedResourceHash(made) };
}

function route(named: JsonObject = { namespace: 'store' }, more: Partial<TenantRoute> = {}): TenantRoute {
  const backends = { type: 'Backends', config: { service: { name: 'orders', port: 80, ...named } } };
  const document = { handler: { type: 'ReverseProxyHandler', config: { backends } } };
  return { tenant: TENANT, document, resources: { 'Service store/orders': KEY }, ...more };
}

async function said(gateway: TenantGateway): Promise<string> {
  const { status, body } = await gateway.get('/');
  return `${status} ${status === 200 ? body.toString() : ''}`.trim();
}

describe('a route to a Service', () => {
  it('follows its endpoints without being built again', async () => {
    const [first, second] = [await endpoint('first'), await endpoint('second')];
    const gateway = await startTenants({ orders: route() }, { ...OPEN, resources: [service(first)] });
    expect([gateway.problems, await said(gateway)]).toEqual([[], '200 first']);
    const built = gateway.configuration.builtRoutes;
    gateway.change({}, { set: [service(second)], remove: [] });
    expect(await said(gateway)).toBe('200 second');
    gateway.change({}, { set: [service()], remove: [] });
    expect(await said(gateway)).toBe('502');
    gateway.change({}, { set: [service(first)], remove: [] });
    expect(await said(gateway)).toBe('200 first');
    expect(gateway.configuration.builtRoutes).toBe(built);
  });

  it('keeps its endpoints when a controller removes the resource that it names', async () => {
    const gateway = await startTenants({ orders: route() }, { ...OPEN, resources: [service(await endpoint('first'))] });
    gateway.change({}, { set: [], remove: [KEY] });
    expect(await said(gateway)).toBe('200 first');
  });

  it('is served before its endpoints are known', async () => {
    const gateway = await startTenants({ orders: route() }, OPEN);
    expect([gateway.problems, await said(gateway)]).toEqual([[], '502']);
    gateway.change({}, { set: [service(await endpoint('first'))], remove: [] });
    expect(await said(gateway)).toBe('200 first');
  });

  it('keeps following after it was built again', async () => {
    const [first, second] = [await endpoint('first'), await endpoint('second')];
    const gateway = await startTenants({ orders: route() }, { ...OPEN, resources: [service(first)] });
    const { document } = route();
    gateway.change({ orders: route({}, { document: { ...document, name: 'orders' } }) });
    gateway.change({}, { set: [service(second)], remove: [] });
    expect(await said(gateway)).toBe('200 second');
  });

  it('is not built for a Service that the controller did not give it', async () => {
    const { resources: _, ...rest } = route();
    const gateway = await startTenants({ orders: rest }, { ...OPEN, resources: [service(await endpoint('first'))] });
    expect(gateway.problems).toMatchObject([{ route: { id: 'orders' }, keepsServing: false }]);
    expect(await said(gateway)).toBe('500');
  });

  it('gets no connection to an endpoint that egress rules forbid', async () => {
    const gateway = await startTenants({ orders: route() }, { resources: [service(await endpoint('first'))] });
    expect(await said(gateway)).toBe('403');
  });
});
