import { expect, it, onTestFinished, vi } from 'vitest';
import { EndpointPools } from '../../../../dataplane/backends/endpoints/endpoint-pools.ts';
import { readByProxy } from '../../../../dataplane/backends/proxied.ts';
import type { BackendOptions } from '../../../../dataplane/engine/backend/backend-options.ts';
import { Destinations, type DestinationsOptions } from '../../../../dataplane/engine/backend/destinations.ts';
import { callHandler } from '../../../../dataplane/engine/backend/own-call.ts';
import { connectWire } from '../../../../dataplane/engine/wire/connect.ts';
import type { BackendEndpoint, Backends } from '../../../../dataplane/heap/objects/backends.ts';
import { backends } from '../../../../dataplane/services/backends.ts';
import { answering, startApp } from '../../../support/backends/endpoint-apps.ts';
import { plainAnswer } from '../../../support/backends/scripted-backend.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';
import { plainExchange } from '../../../support/gateways/plain-exchange.ts';

/** Pools to endpoints, and the endpoint of a host. */
function poolsTo(endpoints: readonly { readonly uri: string }[], options: DestinationsOptions = {}) {
  const made = objectParts({});
  const object = backends.create(backends.config.parse({ endpoints }), made.parts) as Backends;
  const all = new Destinations(options);
  const set = { plain: all, secure: all, upgrading: all, secureUpgrading: all };
  const pools = new EndpointPools(object, set, () => {}, true);
  onTestFinished(() => made.close());
  onTestFinished(() => pools.close());
  const at = (host: string): BackendEndpoint => {
    for (;;) {
      const endpoint = object.choose(plainExchange())!;
      if (endpoint.base.host === host) return endpoint;
    }
  };
  const get = (endpoint: BackendEndpoint) =>
    callHandler(pools.at(endpoint, false).handle, { method: 'GET', uri: `${endpoint.base}` }, { parent: null });
  return { pools, at, get };
}

it('sends requests that are late after its end, and keeps nothing of them', async () => {
  const app = await startApp(answering('one'));
  const { pools, at, get } = poolsTo([{ uri: `http://127.0.0.1:${app.port}` }]);
  const endpoint = at('127.0.0.1');
  pools.close();
  expect([(await get(endpoint)).content.toString(), endpoint.pools]).toEqual(['one', []]);
  await vi.waitUntil(() => app.open === 0, { timeout: 20_000 });
});

it('does not give an endpoint what was written for a proxy', async () => {
  const app = await startApp(answering('one'));
  const proxy = await startApp(async (peer) => {
    await peer.head();
    peer.send(plainAnswer('by proxy'));
    if ((await peer.head()) !== null) await proxy.close();
  });
  const { port } = proxy;
  const connect = connectWire;
  const each = (host: string, at: number): Partial<BackendOptions> =>
    host === 'localhost'
      ? {}
      : readByProxy(
          { host: '127.0.0.1', port, authorization: async () => 'Basic secret' },
          { scheme: 'http', host, port: at },
          { connect, received: null, failed: () => {} },
        );
  const { at, get } = poolsTo([{ uri: 'http://192.0.2.1' }, { uri: `http://localhost:${app.port}` }], { each });
  const proxied = at('192.0.2.1');
  expect((await get(proxied)).content.toString()).toBe('by proxy');
  expect((await get(proxied)).status).toBe(502);
  expect(app.requests).toEqual([]);
});
