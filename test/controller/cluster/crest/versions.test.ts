import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { ApiError } from '../../../../controller/cluster/api/api-error.ts';
import type { KeptVersion } from '../../../../controller/cluster/versions/route-history.ts';
import { CompiledCluster } from '../../../support/cluster/compiled-cluster.ts';
import { compiledFront } from '../../../support/crest/compiled-front.ts';

const RIGHTS = {
  reader: ['get routes shop/orders'],
  lister: ['list routes shop'],
  nobody: [],
};
const HANDLER = { type: 'StaticResponseHandler', config: { status: 200 } };
const SPEC = { name: 'now', handler: HANDLER };
const VERSIONS = 'GET /api/routes/shop.orders/versions?_queryFilter=true&_sortKeys=number';

/** A version before the one that the cluster has. */
const earlier: KeptVersion = {
  generation: 0,
  changed: { at: '2026-11-01T10:00:00Z', manager: 'kubectl-edit' },
  document: { name: 'before', handler: HANDLER },
};

async function served(versions: () => Promise<readonly KeptVersion[]>, spec: JsonObject = SPEC) {
  return compiledFront(new CompiledCluster().route('shop/orders', spec), RIGHTS, async () => [], {
    history: { versions },
  });
}

describe('the versions of a Route of a cluster', () => {
  it('are those that are kept and the one that the cluster has now, in the form of `gatewarden run`', async () => {
    const { ask } = await served(async () => [earlier]);
    const { status, body } = await ask('reader', VERSIONS);
    expect(status).toBe(200);
    expect(body['results']).toEqual([
      {
        ...{ _id: '0', number: 0, at: '2026-11-01T10:00:00Z', by: 'kubectl-edit', operation: 'update' },
        ...{ transactionId: null, document: { name: 'before', handler: HANDLER } },
      },
      expect.objectContaining({ _id: '1', number: 1, by: null, operation: 'create', document: SPEC }),
    ]);
    expect((await ask('reader', 'GET /api/routes/shop.orders/versions/0')).body['document']).toEqual(earlier.document);
    const old = '/openig/api/system/objects/_router/routes/shop.orders/versions?_queryFilter=true';
    expect((await ask('reader', `GET ${old}`)).body['resultCount']).toBe(2);
  });

  it.each(['lister', 'nobody'])('are for callers who may get the Route, and not for a %s', async (user) => {
    let wasRead = false;
    const { ask } = await served(async () => {
      wasRead = true;
      return [];
    });
    expect((await ask(user, VERSIONS)).status).toBe(403);
    expect((await ask(user, VERSIONS.replace('orders', 'missing'))).status).toBe(403);
    expect(wasRead).toBe(false);
  });

  it('of a Route that does not exist are 404, and so are all where none are kept', async () => {
    const { ask } = await compiledFront(new CompiledCluster(), { reader: ['* * *'] }, async () => [], {
      history: { versions: async () => [] },
    });
    expect((await ask('reader', VERSIONS)).status).toBe(404);
    const none = await compiledFront(new CompiledCluster().route('shop/orders', SPEC), RIGHTS);
    expect((await none.ask('reader', VERSIONS)).status).toBe(404);
  });

  it('have the secrets that the Route has now, and null for others', async () => {
    const withPassword = (password: string | null, more: JsonObject = {}): JsonObject => ({
      handler: { type: 'StaticResponseHandler', config: { status: 200, password } },
      ...more,
    });
    const document = withPassword(null, { heap: [{ name: 'gone', config: { clientSecret: null } }] });
    const { ask } = await served(async () => [{ ...earlier, document }], withPassword('hunter2'));
    const { body } = await ask('reader', 'GET /api/routes/shop.orders/versions/0');
    expect(body['document']).toEqual(
      withPassword('hunter2', { heap: [{ name: 'gone', config: { clientSecret: null } }] }),
    );
  });

  it('of four requests of a caller are read at a time, and others get 503', async () => {
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let reads = 0;
    const { ask } = await served(async () => {
      if (++reads === 4) begun.resolve();
      await end.promise;
      return [earlier];
    });
    const asked = Array.from({ length: 4 }, () => ask('reader', VERSIONS));
    await begun.promise;
    expect(await ask('reader', VERSIONS)).toMatchObject({ status: 503 });
    end.resolve();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await ask('reader', VERSIONS)).status).toBe(200);
  });

  it('get 503 while the API server does not answer', async () => {
    const { ask } = await served(async () => {
      throw new ApiError('no answer', { status: 0, reason: 'Unreachable' });
    });
    expect(await ask('reader', VERSIONS)).toMatchObject({ status: 503 });
  });

  it.each(['PUT', 'DELETE', 'PATCH'])('cannot be changed with %s', async (method) => {
    const { ask } = await served(async () => [earlier]);
    expect((await ask('reader', `${method} /api/routes/shop.orders/versions/0`, {})).status).toBeGreaterThanOrEqual(
      400,
    );
  });
});
