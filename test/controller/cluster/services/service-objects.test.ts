import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { serviceObject, sliceObject } from '../../../../controller/cluster/services/service-objects.ts';
import { contentOf, endpointsOf } from '../../../../controller/cluster/services/service-targets.ts';

function slice(endpoints: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  const metadata = { name: 's', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'orders' } };
  return { metadata, addressType: 'IPv4', endpoints, ports: [{ name: 'http', port: 8080, protocol: 'TCP' }], ...more };
}

function service(spec: JsonObject = {}, annotations: JsonObject = {}): JsonObject {
  const ports = [{ name: 'http', port: 80, targetPort: 'web' }];
  return { metadata: { resourceVersion: '7', annotations }, spec: { type: 'ClusterIP', ports, ...spec } };
}

/** The targets of slices. */
function targets(slices: readonly JsonObject[], spec: JsonObject = {}): readonly object[] {
  const read = slices.map((raw) => sliceObject(raw, null)!);
  return endpointsOf('shop/orders', serviceObject(service(spec), null), read, '12').targets;
}

const ports = { http: 8080 };
const one = { addresses: ['10.0.0.1'], ports };
const at = (address: string, more: JsonObject = {}): JsonObject => ({ addresses: [address], ...more });
const pod = (uid: string): JsonObject => ({ targetRef: { kind: 'Pod', namespace: 'shop', name: uid, uid } });

describe('an endpoint', () => {
  it.each<[JsonObject | null, 'ready' | 'draining' | 'left out']>([
    [null, 'ready'],
    [{}, 'ready'],
    [{ ready: null }, 'ready'],
    [{ ready: true }, 'ready'],
    [{ ready: true, serving: true, terminating: false }, 'ready'],
    [{ ready: true, serving: false }, 'ready'],
    [{ ready: true, serving: true, terminating: true }, 'ready'],
    [{ ready: false }, 'left out'],
    [{ ready: false, serving: false }, 'left out'],
    [{ ready: false, serving: true }, 'left out'],
    [{ ready: false, serving: true, terminating: false }, 'left out'],
    [{ ready: false, serving: true, terminating: true }, 'draining'],
    [{ ready: false, serving: false, terminating: true }, 'left out'],
    [{ ready: false, terminating: true }, 'left out'],
  ])('with the conditions %j is %s', (conditions, state) => {
    const expected = { ready: [one], draining: [{ ...one, draining: true }], 'left out': [] };
    expect(targets([slice([at('10.0.0.1', { conditions })])])).toEqual(expected[state]);
  });

  it('has the first of its addresses, because all stand for the same target', () => {
    expect(targets([slice([{ addresses: ['10.0.0.1', '10.0.0.9'] }])])).toEqual([one]);
  });

  it.each<[string, JsonObject]>([
    ['without an address', slice([{ addresses: [] }])],
    ['with an address of another family', slice([at('fd00::1')])],
    ['with a host name', slice([at('orders.example.com')], { addressType: 'FQDN' })],
    ['with a host name in a slice of addresses', slice([at('orders.example.com')])],
    ['in a slice without endpoints', slice([], { endpoints: null })],
  ])('%s is left out', (_, raw) => {
    expect(targets([raw])).toEqual([]);
  });

  it('has the TCP ports of its slice by name', () => {
    const all = [
      { name: 'http', port: 8080, protocol: 'TCP' },
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: null, port: 9090 },
      { name: 'all', port: null },
    ];
    expect(targets([slice([at('10.0.0.1')], { ports: all })])).toEqual([{ ...one, ports: { http: 8080, '': 9090 } }]);
  });

  it('is told from others by its address if the text that names its target is very long', () => {
    const named = (uid: string, address: string): JsonObject => at(address, { targetRef: { uid } });
    const two = (uid: string): number => targets([slice([named(uid, '10.0.0.1'), named(uid, '10.0.0.2')])]).length;
    expect([two('u'.repeat(600)), two('u'.repeat(601))]).toEqual([1, 2]);
  });

  it('has the zones of its hints', () => {
    const hints = { forZones: [{ name: 'a' }, { name: 'b' }] };
    expect(targets([slice([at('10.0.0.1', { hints })])])).toEqual([{ ...one, zones: ['a', 'b'] }]);
    expect(targets([slice([at('10.0.0.1', { hints: {} })])])).toEqual([one]);
  });
});

describe('the targets of a Service', () => {
  it('are sorted, whatever the order of slices', () => {
    const [a, b] = [slice([at('10.0.0.2')]), slice([at('10.0.0.1')])];
    expect(targets([a, b])).toEqual(targets([b, a]));
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['without a target', {}, {}],
    ['of one Pod', pod('p1'), pod('p1')],
  ])('have an endpoint once that is in two slices, %s', (_, first, second) => {
    expect(targets([slice([at('10.0.0.1', first)]), slice([at('10.0.0.1', second)])])).toEqual([one]);
  });

  it('have an endpoint as ready that one of two slices calls ready', () => {
    const draining = { conditions: { ready: false, serving: true, terminating: true }, ...pod('p1') };
    const both = [slice([at('10.0.0.1', draining)]), slice([at('10.0.0.1', pod('p1'))])];
    expect(targets(both)).toEqual([one]);
    expect(targets(both.toReversed())).toEqual([one]);
  });

  it('have a Pod with addresses of both families once, the preferred family first', () => {
    const both = [slice([at('10.0.0.1', pod('p1'))]), slice([at('fd00::1', pod('p1'))], { addressType: 'IPv6' })];
    expect(targets(both)).toEqual([{ addresses: ['10.0.0.1', 'fd00::1'], ports }]);
    expect(targets(both, { ipFamilies: ['IPv6', 'IPv4'] })).toEqual([{ addresses: ['fd00::1', '10.0.0.1'], ports }]);
  });

  it('have endpoints at different ports of one address apart', () => {
    const other = slice([at('10.0.0.1')], { ports: [{ name: 'http', port: 9090 }] });
    expect(targets([slice([at('10.0.0.1')]), other])).toEqual([one, { ...one, ports: { http: 9090 } }]);
  });

  it('have the same hash until something of them changes', () => {
    const made = (address: string, version: string): string =>
      endpointsOf('shop/orders', serviceObject(service(), null), [sliceObject(slice([at(address)]), null)!], version)
        .hash;
    expect(made('10.0.0.1', '13')).toBe(made('10.0.0.1', '12'));
    expect(made('10.0.0.2', '12')).not.toBe(made('10.0.0.1', '12'));
  });
});

describe('a Service', () => {
  it.each<[string, string[]]>([
    ['', []],
    ['shop', ['shop']],
    [' shop, bank ,', ['shop', 'bank']],
    ['*', ['*']],
  ])('with the grant %j allows the namespaces %j', (grant, expected) => {
    const annotations = { 'gatewarden.io/allowed-namespaces': grant };
    expect(serviceObject(service({}, annotations), null).allowedNamespaces).toEqual(expected);
  });

  it('is the same object until something changes that counts', () => {
    const before = serviceObject(service(), null);
    const later = { ...service(), metadata: { resourceVersion: '8', annotations: { note: 'touched' } }, status: {} };
    expect(serviceObject(later, before)).toBe(before);
    expect(serviceObject(service({ type: 'ExternalName' }), before)).not.toBe(before);
  });

  it.each<[string, string]>([
    ['db.example.com', 'db.example.com'],
    ['DB.Example.com.', 'db.example.com'],
  ])('of type ExternalName with %j stands for %j, if that is allowed', (externalName, host) => {
    const read = serviceObject(service({ type: 'ExternalName', externalName }), null);
    const slices = [sliceObject(slice([at('10.0.0.1')]), null)!];
    const allowed = endpointsOf('shop/orders', read, slices, null, (name) => name === host);
    const refused = endpointsOf('shop/orders', read, slices, null);
    expect(allowed).toMatchObject({ targets: [], externalName: host });
    expect(refused.targets).toEqual([]);
    expect(refused).not.toHaveProperty('externalName');
    expect(refused.hash).not.toBe(allowed.hash);
  });

  it('tells which ports are served, which have too many endpoints, and of host names', () => {
    const content = (raw: JsonObject): object => {
      const [object, read] = [serviceObject(service(), null), [sliceObject(raw, null)!]];
      return contentOf(object, { slices: read, isCut: false }, endpointsOf('shop/orders', object, read, null), null);
    };
    expect(content(slice([at('10.0.0.1')]))).toMatchObject({ servedPorts: ['http'], hasHostNames: false });
    const many = (count: number): JsonObject[] =>
      Array.from({ length: count }, (_, index) => at(`10.0.${index >> 8}.${index & 255}`));
    expect(content(slice(many(1000)))).toMatchObject({ servedPorts: ['http'], crowdedPorts: [] });
    expect(content(slice(many(1001)))).toMatchObject({ servedPorts: ['http'], crowdedPorts: ['http'] });
    expect(content(slice([at('a.b')], { addressType: 'FQDN' }))).toMatchObject({ servedPorts: [], hasHostNames: true });
  });

  it.each([{ metadata: {}, spec: 7 }, { spec: {} }, {}])('that is malformed is not read: %j', (raw) => {
    expect(() => serviceObject(raw, null)).toThrow();
  });
});

it('a slice without the label of a Service is left out', () => {
  expect(sliceObject({ ...slice([]), metadata: { name: 's', namespace: 'shop', labels: {} } }, null)).toBeNull();
});
