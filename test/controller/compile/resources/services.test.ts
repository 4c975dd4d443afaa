import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import type { ResourceVerdict } from '../../../../controller/compile/resources/resource-verdict.ts';
import type { ServiceContent } from '../../../../controller/compile/resources/shared/service-content.ts';
import { CompiledCluster, verdictIn } from '../../../support/cluster/compiled-cluster.ts';

const KEY = 'Service/shop/orders';

function toService(service: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const backends = { type: 'Backends', config: { service: { name: 'orders', port: 80, ...service }, ...more } };
  return { handler: { type: 'ReverseProxyHandler', config: { backends } } };
}

function said({ accepted, resolvedRefs, serves }: ResourceVerdict): string {
  return `${accepted.reason} ${resolvedRefs.status} ${resolvedRefs.reason} ${serves}`;
}

const named = (name: string, port: number, protocol = 'TCP'): ServiceContent['ports'][number] => ({
  ...{ name, port, protocol },
});

describe('a Route that sends requests to a Service', () => {
  it('names the resource with its endpoints, and no other resource of the snapshot', () => {
    const compilation = new CompiledCluster().service('shop/orders').route('shop/a', toService()).compile();
    const verdict = verdictIn(compilation, 'shop/a');
    expect(said(verdict)).toBe('Accepted true ResolvedRefs this');
    expect(verdict.route?.resources).toEqual({ 'Service orders': KEY });
    expect(verdict.route?.sources?.map(({ uid }) => uid)).toEqual(['Route-shop/a', KEY, 'config-map']);
    expect(compilation.snapshot?.resources).toBeUndefined();
    expect([...compilation.resources!.wantedServices]).toEqual(['shop/orders']);
  });

  it('waits for a Service that was not read yet', () => {
    const cluster = new CompiledCluster().route('shop/a', toService());
    const { resources, snapshot } = cluster.compile();
    expect(resources?.pendingServices).toEqual(['shop/orders']);
    expect(snapshot?.routes.map(({ refuses }) => refuses)).toEqual([true]);
    expect(said(cluster.verdict('shop/a'))).toBe('Accepted false Pending refuses');
    expect(said(cluster.service('shop/orders').verdict('shop/a'))).toBe('Accepted true ResolvedRefs this');
  });

  it.each<[string, JsonObject, Partial<ServiceContent> | null, string, RegExp]>([
    ['is not there', {}, null, 'false ServiceNotFound refuses', /there is no Service shop\/orders/],
    ['has the port by number', { port: 80 }, {}, 'true ResolvedRefs this', /all references are resolved/],
    ['has the port by name', { port: 'http' }, {}, 'true ResolvedRefs this', /all references are resolved/],
    ['has the port as a text of digits', { port: '80' }, {}, 'true ResolvedRefs this', /all references are resolved/],
    [
      'lacks the number',
      { port: 8080 },
      { ports: [named('http', 80), named('', 81)] },
      'false ServicePortNotFound refuses',
      /has no TCP port 8080: it has 80 \(http\), 81;/,
    ],
    [
      'lacks the name',
      { port: 'grpc' },
      {},
      'false ServicePortNotFound refuses',
      /no TCP port grpc: it has 80 \(http\)/,
    ],
    ['has no ports', {}, { ports: [] }, 'false ServicePortNotFound refuses', /has no TCP port 80: it has none/],
    [
      'has the number for another protocol',
      { port: 53 },
      { ports: [named('dns', 53, 'UDP')] },
      'false ServicePortNotFound refuses',
      /has no TCP port 53/,
    ],
    [
      'has the number for two protocols',
      { port: 53 },
      { ports: [named('dns', 53, 'UDP'), named('http', 53)] },
      'true ResolvedRefs this',
      /all references/,
    ],
    [
      'stands for an external name',
      {},
      { externalName: 'db.example.com' },
      'false ServiceNotSupported refuses',
      /is of type ExternalName, and 'externalNames' of trust.json does not list db.example.com: use 'dns'/,
    ],
    [
      'has no ready endpoints',
      {},
      { servedPorts: [] },
      'true NoReadyEndpoints this',
      /the Service shop\/orders has no ready endpoints at port 80/,
    ],
    [
      'has ready endpoints for another port only',
      { port: 81 },
      { ports: [named('http', 80), named('admin', 81)] },
      'true NoReadyEndpoints this',
      /no ready endpoints at port 81/,
    ],
    [
      'has more endpoints at the port than data planes use',
      {},
      { crowdedPorts: ['http'] },
      'true EndpointsLeftOut this',
      /data planes use 1000 endpoints of the Service shop\/orders at port 80: it has more/,
    ],
    ['has too many endpoints at another port', {}, { crowdedPorts: ['admin'] }, 'true ResolvedRefs this', /all ref/],
    [
      'has more endpoints than controllers read',
      {},
      { isCut: true, crowdedPorts: ['http'] },
      'true EndpointsLeftOut this',
      /not all endpoints .* shop\/orders are used: controllers read at most 5000 of a Service and 50000 of a namespace/,
    ],
    [
      'has endpoints of which none is read',
      {},
      { isCut: true, servedPorts: [] },
      'true NoReadyEndpoints this',
      /the endpoints of the Service shop\/orders are not read: controllers read at most/,
    ],
    [
      'has host names for endpoints',
      {},
      { servedPorts: [], hasHostNames: true },
      'true NoReadyEndpoints this',
      /have host names, which are not used/,
    ],
  ])('has the condition for one that %s', (_, service, content, expected, message) => {
    const verdict = new CompiledCluster()
      .service('shop/orders', content)
      .route('shop/a', toService(service))
      .verdict('shop/a');
    expect(said(verdict)).toBe(`Accepted ${expected}`);
    expect(verdict.resolvedRefs.message).toMatch(message);
  });

  it.each<[string, JsonObject, Partial<ServiceContent>, readonly string[], string]>([
    ['is listed', {}, {}, ['db.example.com'], 'true ResolvedRefs this'],
    ['is below a wildcard', {}, {}, ['*.example.com'], 'true ResolvedRefs this'],
    ['is one of all', {}, {}, ['*'], 'true ResolvedRefs this'],
    ['is not listed', {}, {}, ['example.com', '*.db.example.com'], 'false ServiceNotSupported refuses'],
    ['has no ports, for a number', { port: 5432 }, { ports: [] }, ['*'], 'true ResolvedRefs this'],
    ['has no ports, for a name', { port: 'http' }, { ports: [] }, ['*'], 'false ServicePortNotFound refuses'],
    ['has other ports', { port: 5432 }, {}, ['*'], 'false ServicePortNotFound refuses'],
  ])('may use an external name that %s', (_, service, content, externalNames, expected) => {
    const verdict = new CompiledCluster()
      .base('trust', { externalNames })
      .service('shop/orders', { externalName: 'db.example.com', servedPorts: [], ...content })
      .route('shop/a', toService(service))
      .verdict('shop/a');
    expect(said(verdict)).toBe(`Accepted ${expected}`);
  });

  it('is judged again when the operator withdraws an external name', () => {
    const cluster = new CompiledCluster().base('trust', { externalNames: ['*'] });
    cluster.service('shop/orders', { externalName: 'db.example.com' }).route('shop/a', toService());
    expect(said(cluster.verdict('shop/a'))).toBe('Accepted true ResolvedRefs this');
    // without endpoints: the controller takes the name out of the resource
    expect(said(cluster.base('trust', {}).verdict('shop/a'))).toBe('Accepted false ServiceNotSupported last-good');
  });

  it.each<[string, readonly string[], string]>([
    ['without a grant', [], 'false ServiceNotGranted refuses'],
    ['granted to others', ['bank'], 'false ServiceNotGranted refuses'],
    ['granted to it', ['bank', 'shop'], 'true ResolvedRefs this'],
    ['granted to all', ['*'], 'true ResolvedRefs this'],
  ])('of another namespace, %s', (_, allowedNamespaces, expected) => {
    const cluster = new CompiledCluster().service('store/orders', { allowedNamespaces });
    const verdict = cluster.route('shop/a', toService({ namespace: 'store' })).verdict('shop/a');
    expect(said(verdict)).toBe(`Accepted ${expected}`);
  });

  it('refuses requests from when the grant is withdrawn', () => {
    const cluster = new CompiledCluster().service('store/orders', { allowedNamespaces: ['shop'] });
    cluster.route('shop/a', toService({ namespace: 'store' }));
    expect(said(cluster.verdict('shop/a'))).toBe('Accepted true ResolvedRefs this');
    const verdict = cluster.service('store/orders').verdict('shop/a');
    expect(said(verdict)).toBe('Accepted false ServiceNotGranted refuses');
    expect(verdict.resolvedRefs.message).toContain('gatewarden.io/allowed-namespaces of the Service store/orders');
  });

  it('goes on with its last good version while a Service is gone, as for an edit with a wrong name', () => {
    const cluster = new CompiledCluster().service('shop/orders').route('shop/a', toService());
    const { hash } = cluster.verdict('shop/a').route!;
    const gone = cluster.service('shop/orders', null).verdict('shop/a');
    expect([said(gone), gone.route?.hash]).toEqual(['Accepted false ServiceNotFound last-good', hash]);
    cluster
      .service('shop/orders')
      .service('shop/oders', null)
      .route('shop/a', toService({ name: 'oders' }));
    const edited = cluster.verdict('shop/a');
    expect([said(edited), edited.route?.hash]).toEqual(['Accepted false ServiceNotFound last-good', hash]);
    expect([...cluster.compile().resources!.wantedServices].sort()).toEqual(['shop/oders', 'shop/orders']);
  });

  it('is not judged again when its Service has other endpoints', () => {
    const cluster = new CompiledCluster().service('shop/orders').route('shop/a', toService());
    cluster.compile();
    cluster.services = new Map(cluster.services);
    cluster.compile();
    expect(cluster.judged).toEqual([]);
    cluster.service('shop/orders', { servedPorts: [] }).compile();
    expect(cluster.judged).toHaveLength(1);
  });

  it.each<[string, JsonObject, RegExp]>([
    ['no port', { name: 'orders' }, /service\.port: is required/],
    ['no name', { port: 80 }, /service\.name: is required/],
    ['a port out of range', { name: 'orders', port: 65_536 }, /service\.port: must be a port number from 1 to 65535/],
    ['a port that is no name', { name: 'orders', port: 'A b' }, /service\.port: must be a port number/],
    ['a name that no Service has', { name: 'shop/orders', port: 80 }, /service\.name: is not a name of Kubernetes/],
    ['a namespace that none is', { name: 'orders', namespace: 'A', port: 80 }, /service\.namespace: is not a name/],
    ['a field that is none', { name: 'orders', port: 80, weight: 1 }, /service\.weight/],
  ])('is invalid with %s', (_, service, message) => {
    const backends = { type: 'Backends', config: { service } };
    const spec = { handler: { type: 'ReverseProxyHandler', config: { backends } } };
    const { accepted } = new CompiledCluster().route('shop/a', spec).verdict('shop/a');
    expect(accepted.reason).toBe('Invalid');
    expect(accepted.message).toMatch(message);
  });

  it('is invalid with a Service beside other endpoints', () => {
    const spec = toService({}, { dns: { uri: 'http://orders.shop.svc' } });
    expect(new CompiledCluster().service('shop/orders').route('shop/a', spec).verdict('shop/a').accepted.reason).toBe(
      'Invalid',
    );
  });
});

it.each<[string, 'no cluster' | 'all Services', string]>([
  ['refuses a Service where there is no cluster', 'no cluster', 'Accepted false ServiceNotSupported refuses'],
  ['takes Services for granted where they are not known', 'all Services', 'Accepted true ResolvedRefs this'],
])('a Route %s', (_, assumes, expected) => {
  const cluster = new CompiledCluster().route('shop/a', toService());
  cluster.assumes = assumes;
  expect(said(cluster.verdict('shop/a'))).toBe(expected);
});

it('an operator cannot name a Service, because files have no cluster', () => {
  const cluster = new CompiledCluster().base('config', {
    heap: [{ name: 'orders', type: 'Backends', config: { service: { name: 'orders', namespace: 'shop', port: 80 } } }],
    handler: 'ReverseProxyHandler',
  });
  const problems = cluster.compile().verdicts.flatMap((verdict) => verdict.problems);
  expect(problems).toMatchObject(
    [
      {
        code: 'not-allowed',
        path: ['heap', 0, 'config', 'service'],
        message: /^is for Route resources of a cluster only/,
      },
    ].map(({ message, ...rest }) => ({ ...rest, message: expect.stringMatching(message) as string })),
  );
});

it('Routes of one namespace name two thousand Services at most', () => {
  const cluster = new CompiledCluster();
  const heap = (from: number): JsonObject[] =>
    Array.from({ length: 100 }, (_, at) => {
      const service = { name: `s${from + at}`, port: 80 };
      return { name: `b${at}`, type: 'Backends', config: { service } };
    });
  for (let route = 0; route < 21; route++) {
    cluster.route(`shop/r${route}`, { heap: heap(route * 100), handler: 'ReverseProxyHandler' });
  }
  const { resources } = cluster.compile();
  expect(resources?.wantedServices.size).toBe(2000);
  expect(cluster.verdict('shop/r20').resolvedRefs.message).toContain('name too many Services');
});
