import { expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { memoryUse } from '../../support/clients/memory.ts';
import { startTenants, type TenantRoute } from '../../support/gateways/tenant-gateway.ts';

const ROUTES = 500;
const MOST = 24_000;

/** A route with three filters, of which each has something to do. */
function document(at: number): JsonObject {
  const filters = [
    { type: 'ConditionEnforcementFilter', config: { condition: `\${request.headers['X-Tenant'][0] != 'none${at}'}` } },
    { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Route': [`${at}`] } } },
    { type: 'UriPathRewriteFilter', config: { mappings: { [`/r${at}`]: `/service/${at}` } } },
  ];
  const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: `route ${at}` } };
  return {
    condition: `\${find(request.uri.path, '^/r${at}/')}`,
    handler: { type: 'Chain', config: { filters, handler } },
  };
}

function routes(from: number): Record<string, TenantRoute> {
  return Object.fromEntries(
    Array.from({ length: ROUTES }, (_, at) => [`r${from + at}`, { tenant: 'shop', document: document(from + at) }]),
  );
}

it('a route of three filters and a handler takes at most 24 KB beyond its document', async () => {
  const trust = { tenants: [{ name: 'shop', hosts: ['*'] }] };
  const gateway = await startTenants(routes(0), { trust }); // with what all routes share
  const added = routes(ROUTES);
  const before = memoryUse().heap;
  expect(gateway.change(added)).toEqual([]);
  const each = (memoryUse().heap - before) / ROUTES;
  expect((await gateway.get(`/r${2 * ROUTES - 1}/`)).body).toBe(`route ${2 * ROUTES - 1}`);
  expect(each).toBeLessThan(MOST);
});
