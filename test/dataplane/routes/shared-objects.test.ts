import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { sharedResourceHash } from '../../../contract/shared-resources.ts';
import type { SharedObjects } from '../../../contract/snapshot.ts';
import { defineService } from '../../../dataplane/heap/definition.ts';
import { sharedStore } from '../../support/channel/shared-store.ts';
import { startTenants, type TenantGateway, type TenantRoute } from '../../support/gateways/tenant-gateway.ts';
import { guardedRoute, IssuerKey } from '../../support/identity/issuer-key.ts';

const KEY = 'SecretStore/shop/keys';

/** A store that holds the key of an issuer. */
function storeOf({ pem }: IssuerKey, name = 'shop/keys', format: string | JsonObject = { type: 'PemPropertyFormat' }) {
  return sharedStore(name, pem, { format });
}

/** A route that lets in who has a token of the issuer, under the name that it has for the store. */
function guarded(handler?: JsonObject, more: Partial<TenantRoute> = {}): TenantRoute {
  const { spec } = guardedRoute('shop', 'a', 'keys', handler) as { spec: JsonObject };
  const document = JSON.parse(JSON.stringify(spec).replace('"verify"', '"key"'));
  return { document, tenant: 'shop', resources: { keys: KEY }, ...more };
}

async function status(gateway: TenantGateway, key: IssuerKey, host = 'gw.test'): Promise<number> {
  const head = `GET /a HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${key.headers.authorization}\r\n`;
  return (await gateway.send(head)).status;
}

function rotation(store: SharedObjects) {
  return { set: [store], remove: [] };
}

/** A backend that answers when it is told to, and counts its connections. */
async function holdingBackend() {
  const held: ServerResponse[] = [];
  const server = createServer((_, response) => {
    held.push(response);
    server.emit('held');
  });
  let connections = 0;
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const handler = { type: 'ReverseProxyHandler', baseURI: `http://127.0.0.1:${port}` };
  return { port, handler, held, untilHeld: () => once(server, 'held'), connections: () => connections };
}

describe('a rotated resource', () => {
  it('takes effect in a route that is not rebuilt, and running requests are answered', async () => {
    const [before, after] = [new IssuerKey(), new IssuerKey()];
    const backend = await holdingBackend();
    const trust = { egress: [`127.0.0.1:${backend.port}`] };
    const gateway = await startTenants({ a: guarded(backend.handler) }, { trust, resources: [storeOf(before)] });
    expect(gateway.problems).toEqual([]);
    const underWay = status(gateway, before);
    await backend.untilHeld();

    const built = gateway.configuration.builtRoutes;
    expect(gateway.change({}, rotation(storeOf(after)))).toEqual([]);
    expect(gateway.configuration.builtRoutes).toBe(built);
    expect(await status(gateway, before)).toBe(401);
    for (const response of backend.held.splice(0)) response.end();
    expect(await underWay).toBe(200);

    const next = status(gateway, after);
    await backend.untilHeld();
    backend.held.pop()?.end();
    expect(await next).toBe(200);
    expect(backend.connections()).toBe(1);
  });

  it('keeps the previous version if it cannot be built, and reports it for each route', async () => {
    const [before, after] = [new IssuerKey(), new IssuerKey()];
    const gateway = await startTenants({ a: guarded(), b: guarded() }, { resources: [storeOf(before)] });
    const problems = gateway.change({}, rotation(storeOf(after, 'shop/keys', 'ODD')));
    expect(problems.map(({ route, keepsServing, resource }) => [route?.id, keepsServing, resource])).toEqual([
      ['a', true, KEY],
      ['b', true, KEY],
    ]);
    expect(problems[0]?.problems[0]?.message).toContain(KEY);
    expect(await status(gateway, before)).toBe(200);
    expect(gateway.change({}, rotation(storeOf(after)))).toEqual([]);
    expect([await status(gateway, before), await status(gateway, after)]).toEqual([401, 200]);
  });

  it('is built once for all routes of a tenant, and closed with the last of them', async () => {
    const gateway = await startTenants({}, { resources: [storeOf(new IssuerKey())] });
    const { configuration } = gateway;
    /** Adds routes and removes them. @returns how many objects there were then, with one, with two and in the end */
    const counts = async (): Promise<readonly number[]> => {
      gateway.change({ a: guarded() });
      const one = configuration.builtObjects;
      gateway.change({ b: guarded() });
      const two = configuration.builtObjects;
      gateway.change({ a: null, b: null });
      await gateway.get('/');
      return [one, two, configuration.builtObjects];
    };
    const [, , none] = await counts(); // objects of the base that routes use are built now, and stay
    const [one = 0, two = 0, rest] = await counts();
    expect(two - one).toBeLessThan(one - none!);
    expect(rest).toBe(none);
  });
});

describe('shared objects', () => {
  it('that were built before another one of the resource failed are closed', async () => {
    const failing = defineService({
      type: 'FailingSecretStore',
      kind: 'secretStore',
      summary: 'Cannot be built.',
      config: z.strictObject({}),
      create() {
        throw new Error('no such device');
      },
    });
    const good = storeOf(new IssuerKey());
    const withFailing = (store: SharedObjects): SharedObjects => {
      const objects = [...store.objects, { name: 'other', type: 'FailingSecretStore' }];
      return { ...store, objects, hash: sharedResourceHash({ ...store, objects }) };
    };
    const gateway = await startTenants({ a: guarded() }, { types: [failing], resources: [good] });
    expect(gateway.problems).toEqual([]);
    const { configuration } = gateway;
    const before = configuration.builtObjects;
    for (let at = 0; at < 3; at++) {
      const [problem] = gateway.change({}, rotation(withFailing(storeOf(new IssuerKey()))));
      expect(problem?.problems[0]?.message).toContain('no such device');
    }
    await gateway.get('/');
    expect(configuration.builtObjects).toBe(before);
  });

  it('of two tenants with the same name are separate', async () => {
    const [ours, theirs] = [new IssuerKey(), new IssuerKey()];
    const tenants = ['shop', 'bank'].map((name) => ({ name, hosts: [`${name}.test`] }));
    const routes = {
      a: guarded(),
      b: guarded(undefined, { tenant: 'bank', resources: { keys: 'SecretStore/bank/keys' } }),
    };
    const resources = [storeOf(ours), storeOf(theirs, 'bank/keys')];
    const gateway = await startTenants(routes, { trust: { tenants }, resources });
    expect(gateway.problems).toEqual([]);
    const statuses = async (host: string): Promise<number[]> => [
      await status(gateway, ours, host),
      await status(gateway, theirs, host),
    ];
    expect(await statuses('shop.test')).toEqual([200, 401]);
    expect(await statuses('bank.test')).toEqual([401, 200]);
  });

  it('of one store that two tenants may use are built for each of them', async () => {
    const key = new IssuerKey();
    const tenants = ['shop', 'bank'].map((name) => ({ name, hosts: [`${name}.test`] }));
    const gateway = await startTenants({ a: guarded() }, { trust: { tenants }, resources: [storeOf(key)] });
    const before = gateway.configuration.builtObjects;
    gateway.change({ b: guarded(undefined, { tenant: 'bank' }) });
    const added = gateway.configuration.builtObjects - before;
    gateway.change({ c: guarded() });
    expect(gateway.configuration.builtObjects - before - added).toBeLessThan(added);
    expect(await status(gateway, key, 'bank.test')).toBe(200);
  });

  it('are not visible under other names or in routes that do not name them', async () => {
    const gateway = await startTenants(
      { a: guarded(undefined, { resources: { other: KEY } }), b: { ...guarded(), resources: {} } },
      { resources: [storeOf(new IssuerKey())] },
    );
    expect(gateway.problems.map(({ route, problems }) => [route?.id, problems[0]?.code])).toEqual([
      ['a', 'reference'],
      ['b', 'reference'],
    ]);
  });

  it('that are missing are reported by name, and the route rejects its requests', async () => {
    const key = new IssuerKey();
    const gateway = await startTenants({ a: guarded() });
    expect(gateway.problems[0]?.problems[0]?.message).toBe(
      'the data plane does not hold the shared resource SecretStore/shop/keys',
    );
    expect(await status(gateway, key)).toBe(500);
  });

  it('stay while a route names them, also after a change of config.json', async () => {
    const [before, after] = [new IssuerKey(), new IssuerKey()];
    const gateway = await startTenants({ a: guarded() }, { resources: [storeOf(before)] });
    gateway.change({}, { set: [], remove: [KEY] });
    const heap = [{ name: 'x', type: 'ClientHandler' }];
    expect(gateway.replaceBase({ heap })).toEqual([]);
    expect(await status(gateway, before)).toBe(200);
    gateway.change({}, rotation(storeOf(after)));
    expect([await status(gateway, before), await status(gateway, after)]).toEqual([401, 200]);
  });

  it('are unchanged after a config.json that cannot be built', async () => {
    const [before, after] = [new IssuerKey(), new IssuerKey()];
    const gateway = await startTenants({ a: guarded() }, { resources: [storeOf(before)] });
    expect(gateway.replaceBase({ heap: [{ name: 'x', type: 'Nothing' }] })).toHaveLength(1);
    expect(await status(gateway, before)).toBe(200);
    expect(gateway.change({}, rotation(storeOf(after)))).toEqual([]);
    expect(await status(gateway, after)).toBe(200);
  });
});
