import { expect, it } from 'vitest';
import { memoryUse } from '../../support/clients/memory.ts';
import { startTenants, type TenantRoute } from '../../support/gateways/tenant-gateway.ts';

const TEXT = 100_000;
const EDITS = 200;

/** A version of a route with a text of its own, so that a version which is held shows. */
function version(at: number): TenantRoute {
  const entity = `${at} `.padEnd(TEXT, `version ${at} `);
  return { document: { handler: { type: 'StaticResponseHandler', config: { status: 200, entity } } } };
}

it('a route that was edited many times holds none of its versions before', async () => {
  const gateway = await startTenants({ a: version(0) });
  for (let at = 1; at <= 20; at++) gateway.change({ a: version(at) });
  const before = memoryUse().heap;
  for (let at = 21; at <= 20 + EDITS; at++) gateway.change({ a: version(at) });
  expect((await gateway.get('/')).body).toMatch(new RegExp(`^${20 + EDITS} `));
  expect(memoryUse().heap - before).toBeLessThan((EDITS * TEXT) / 4);
});
