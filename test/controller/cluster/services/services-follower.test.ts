import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { ServiceEndpoints } from '../../../../contract/snapshot.ts';
import { ClusterApi } from '../../../../controller/cluster/api/api-client.ts';
import {
  ServicesFollower,
  type ServicesFollowerOptions,
} from '../../../../controller/cluster/services/services-follower.ts';
import { answer, ScriptedApiServer } from '../../../support/cluster/scripted-api-server.ts';

interface Setting {
  readonly server: ScriptedApiServer;
  readonly follower: ServicesFollower;
  /** What was called back, in order: `judge`, or the Services that have endpoints. */
  readonly heard: string[];
  follow(...keys: string[]): void;
  /** Addresses by Service, as data planes get them. */
  addresses(): Record<string, string>;
  /** Selectors of the lists of slices. */
  selectors(): string[];
}

async function following(more: Pick<ServicesFollowerOptions, 'reread'> = {}): Promise<Setting> {
  const server = await ScriptedApiServer.start();
  const api = new ClusterApi({ kubeconfig: server.kubeconfig() });
  const heard: string[] = [];
  const follower = new ServicesFollower({
    api,
    changed: () => void heard.push('judge'),
    endpointsChanged: (all) => void heard.push([...all.keys()].join(' ')),
    times: { pause: 1, longestPause: 1 },
    ...more,
  });
  onTestFinished(async () => {
    await follower.close();
    await api.close();
  });
  const shown = ({ targets }: ServiceEndpoints): string =>
    targets.map(({ addresses }) => addresses.join('|')).join(' ');
  return {
    server,
    follower,
    heard,
    follow: (...keys) => follower.follow(new Set(keys)),
    addresses: () => Object.fromEntries([...follower.endpoints].map(([key, one]) => [key, shown(one)])),
    selectors: () =>
      server.requests
        .filter(({ kind, path }) => kind === 'list' && path.endsWith('endpointslices'))
        .map(({ query }) => query.get('labelSelector') ?? ''),
  };
}

const service: JsonObject = { spec: { ports: [{ name: 'http', port: 80 }] } };

function slice(name: string, ...addresses: string[]): JsonObject {
  return {
    metadata: { labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address] })),
  };
}

function put({ server }: Setting, name: string, ...addresses: string[]): void {
  server.put(`shop/services/${name}`, service);
  server.put(`shop/endpointslices/${name}-1`, slice(name, ...addresses));
}

const key = (name: string): string => `Service/shop/${name}`;

describe('Services', () => {
  it('are followed with their slices, and no others', async () => {
    const setting = await following();
    put(setting, 'orders', '10.0.0.1');
    put(setting, 'carts', '10.0.0.9');
    setting.follow('shop/orders', 'shop/absent');
    await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: '10.0.0.1', [key('absent')]: '' }));
    const { services } = setting.follower;
    expect([services.get('shop/absent'), services.get('shop/orders')?.servedPorts]).toEqual([null, ['http']]);
    expect(services.has('shop/carts')).toBe(false);
    expect(setting.selectors()).toEqual(['kubernetes.io/service-name in (absent,orders)']);
  });

  it('have other endpoints at once, and Routes are judged again only if that matters to them', async () => {
    const setting = await following();
    put(setting, 'orders', '10.0.0.1');
    setting.follow('shop/orders');
    await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: '10.0.0.1' }));
    const before = setting.follower.services;
    setting.heard.length = 0;
    setting.server.put('shop/endpointslices/orders-2', slice('orders', '10.0.0.2'));
    await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: '10.0.0.1 10.0.0.2' }));
    expect([setting.heard, setting.follower.services === before]).toEqual([[key('orders')], true]);
    setting.server.remove('shop/endpointslices/orders-1');
    setting.server.remove('shop/endpointslices/orders-2');
    await vi.waitFor(() => expect(setting.heard).toContain('judge'));
    expect(setting.follower.services.get('shop/orders')?.servedPorts).toEqual([]);
  });

  it('say nothing for slices that were written again without a change', async () => {
    const setting = await following();
    put(setting, 'orders', '10.0.0.1');
    setting.follow('shop/orders');
    await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: '10.0.0.1' }));
    setting.heard.length = 0;
    put(setting, 'orders', '10.0.0.1');
    setting.server.put('shop/endpointslices/orders-2', slice('orders', '10.0.0.2'));
    await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: '10.0.0.1 10.0.0.2' }));
    expect(setting.heard).toEqual([key('orders')]);
  });

  it('that keep changing are looked at a hundred times in a second at most, and end with the last change', async () => {
    const setting = await following();
    put(setting, 'orders', '10.0.0.1');
    setting.follow('shop/orders');
    await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: '10.0.0.1' }));
    setting.heard.length = 0;
    const began = performance.now();
    for (let change = 0; change < 10; change++) {
      const address = `10.0.1.${change}`;
      put(setting, 'orders', address);
      await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: address }), { interval: 1 });
    }
    expect(setting.heard).toHaveLength(10);
    expect(performance.now() - began).toBeGreaterThan(9 * 9); // timers may be early by a part of a millisecond
  });

  it('with more than 5,000 endpoints have those of their first slices by name', async () => {
    const setting = await following();
    setting.server.put('shop/services/orders', service);
    const wide = (at: number): JsonObject =>
      slice('orders', ...Array.from({ length: 250 }, (_, index) => `10.0.${at}.${index}`));
    const last = (): number => setting.follower.endpoints.get(key('orders'))?.targets.length ?? 0;
    for (let at = 10; at < 31; at++) setting.server.put(`shop/endpointslices/orders-${at}`, wide(at));
    setting.follow('shop/orders');
    await vi.waitFor(() => expect(last()).toBe(5000));
    expect(setting.addresses()[key('orders')]).not.toContain('10.0.30.');
    setting.heard.length = 0;
    setting.server.put('shop/endpointslices/orders-30', slice('orders', '10.0.30.7'));
    setting.server.put('shop/endpointslices/orders-10', slice('orders', '10.0.10.7'));
    await vi.waitFor(() => expect(last()).toBe(19 * 250 + 2));
    expect(setting.heard).toEqual([key('orders'), 'judge']); // none is left out now
  });

  it.each([
    [1, 10],
    [2, 5],
  ])('with %i ports and 5,000 endpoints each have room for %i of them in a namespace', async (ports, room) => {
    const setting = await following({ reread: 1 });
    const { server, follower } = setting;
    const names = Array.from({ length: room + 1 }, (_, at) => `s${at + 10}`);
    const more = { ports: Array.from({ length: ports }, (_, at) => ({ name: `p${at}`, port: 8080 + at })) };
    for (const name of names) {
      server.put(`shop/services/${name}`, service);
      for (let at = 0; at < 5; at++) {
        const addresses = Array.from({ length: 1000 }, (_, index) => `10.${at}.${index >> 8}.${index & 255}`);
        server.put(`shop/endpointslices/${name}-${at}`, { ...slice(name, ...addresses), ...more });
      }
    }
    const counts = (): number[] => names.map((name) => follower.endpoints.get(key(name))?.targets.length ?? -1);
    const cut = (): boolean[] => names.map((name) => follower.services.get(`shop/${name}`)?.isCut === true);
    setting.follow(...names.map((name) => `shop/${name}`));
    const whole = Array.from({ length: room }, () => 5000);
    await vi.waitFor(() => expect(counts()).toEqual([...whole, 0]));
    expect(cut()).toEqual([...whole.map(() => false), true]);
    // the Service that found no room has some as soon as another one gives it back
    for (let at = 0; at < 5; at++) server.remove(`shop/endpointslices/s10-${at}`);
    await vi.waitFor(() => expect(counts()).toEqual([0, ...whole]));
    expect(cut()).toEqual(names.map(() => false));
  });

  it('keep their endpoints while watches break and lists fail', async () => {
    const setting = await following();
    const { server } = setting;
    put(setting, 'orders', '10.0.0.1');
    setting.follow('shop/orders');
    await vi.waitFor(() => expect(server.openWatches).toBe(2));
    setting.heard.length = 0;
    server.next('watch', answer(410), answer(410));
    server.next('list', answer(500), answer(503), answer(403), answer(404));
    server.reset();
    await vi.waitFor(() => expect(server.openWatches).toBe(2));
    expect([setting.heard, setting.addresses()]).toEqual([[], { [key('orders')]: '10.0.0.1' }]);
    server.put('shop/endpointslices/orders-1', slice('orders', '10.0.0.2'));
    await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: '10.0.0.2' }));
  });

  it('are not known before their slices were listed', async () => {
    const setting = await following();
    const { server, follower } = setting;
    put(setting, 'orders', '10.0.0.1');
    const held: (() => void)[] = [];
    const hold = (): void =>
      server.next('list', (request, response) => {
        if (!request.path.endsWith('slices')) return answer(503)(request, response);
        held.push(() => answer(503)(request, response));
      });
    for (let i = 0; i < 2; i++) hold();
    setting.follow('shop/orders');
    await vi.waitFor(() => expect(held).toHaveLength(1));
    await vi.waitFor(() =>
      expect(server.requests.some(({ kind, path }) => kind === 'watch' && path.endsWith('services'))).toBe(true),
    );
    expect([follower.services.size, follower.endpoints.size, setting.heard]).toEqual([0, 0, []]);
    held[0]?.();
    await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: '10.0.0.1' }));
  });

  it('count as absent where nothing may be read, and are there as soon as something may', async () => {
    const setting = await following();
    const { server, follower } = setting;
    put(setting, 'orders', '10.0.0.1');
    server.next('list', answer(403), answer(403), answer(403), answer(403));
    setting.follow('shop/orders');
    await vi.waitFor(() => expect(setting.heard).toContain('judge'));
    await vi.waitFor(() => expect(follower.services.get('shop/orders')).toMatchObject({ servedPorts: ['http'] }));
  });

  it('that are deleted have no endpoints, although their slices are still there', async () => {
    const setting = await following();
    put(setting, 'orders', '10.0.0.1');
    setting.follow('shop/orders');
    await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: '10.0.0.1' }));
    setting.server.remove('shop/services/orders');
    await vi.waitFor(() => expect(setting.addresses()).toEqual({ [key('orders')]: '' }));
    expect(setting.follower.services.get('shop/orders')).toBeNull();
  });

  it('that nobody names any more are forgotten, and their watches end', async () => {
    const setting = await following();
    put(setting, 'orders', '10.0.0.1');
    setting.follow('shop/orders');
    await vi.waitFor(() => expect(setting.server.openWatches).toBe(2));
    setting.follow();
    await vi.waitFor(() => expect(setting.server.openWatches).toBe(0));
    expect([setting.addresses(), setting.follower.services.size]).toEqual([{}, 0]);
  });

  it('that come one by one share few watches, and stay known meanwhile', async () => {
    const setting = await following();
    const names = Array.from({ length: 40 }, (_, at) => `s${at}`);
    for (const name of names) put(setting, name, '10.0.0.1');
    for (let count = 1; count <= names.length; count++) {
      setting.follow(...names.slice(0, count).map((name) => `shop/${name}`));
      await vi.waitFor(() => expect(setting.follower.endpoints.size).toBe(count));
    }
    await vi.waitFor(() => expect(setting.server.openWatches).toBeLessThanOrEqual(1 + 6));
    expect(Object.values(setting.addresses())).toEqual(names.map(() => '10.0.0.1'));
    expect(setting.heard.filter((one) => one === 'judge')).toHaveLength(names.length);
    for (const name of names) setting.server.put(`shop/endpointslices/${name}-1`, slice(name, '10.0.0.2'));
    await vi.waitFor(() => expect(new Set(Object.values(setting.addresses()))).toEqual(new Set(['10.0.0.2'])));
  });
});

it('a Service has an external name only while that is allowed', async () => {
  const setting = await following();
  const { server, follower, heard } = setting;
  const spec = { type: 'ExternalName', externalName: 'db.example.com' };
  server.put('shop/services/db', { spec });
  setting.follow('shop/db');
  const name = (): string | undefined => follower.endpoints.get('Service/shop/db')?.externalName;
  await vi.waitFor(() => expect(follower.services.get('shop/db')?.externalName).toBe('db.example.com'));
  expect(name()).toBeUndefined();
  heard.length = 0;
  follower.allow((host) => host === 'db.example.com');
  expect([name(), heard]).toEqual(['db.example.com', ['Service/shop/db']]);
  follower.allow(() => false);
  expect(name()).toBeUndefined();
});
