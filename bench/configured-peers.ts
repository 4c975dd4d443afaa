import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './paths.ts';
import { justInTimeWarmup, type Peer, type Place } from './peer.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Writes an instance directory: what `gatewarden run` is started with. */
export function instance(folder: string, routes: Readonly<Record<string, Json>>): string {
  const directory = join(folder, 'instance', 'config', 'routes');
  mkdirSync(directory, { recursive: true });
  for (const [id, route] of Object.entries(routes)) writeFileSync(join(directory, `${id}.json`), JSON.stringify(route));
  return join(folder, 'instance');
}

export function gateway({ listen, accessLog }: Place, directory: string): string[] {
  return [
    join(repository, 'cli', 'gatewarden'),
    ...['run', directory],
    ...['--port', String(listen)],
    ...['--units', '1'],
    ...['--admin', 'off'],
    ...['--access-log', accessLog],
  ];
}

/** A route to the backend under one path. */
export function forwards(path: string, backend: number, filters: readonly Json[] = []): Json {
  const baseURI = `http://127.0.0.1:${backend}`;
  const handler = { type: 'ReverseProxyHandler', config: { connections: 1024 }, baseURI };
  return {
    condition: `\${find(request.uri.path, '^${path}')}`,
    handler: filters.length === 0 ? handler : { type: 'Chain', config: { filters, handler } },
  };
}

/** The bench's requests go to the last of these; the others are there to be passed over. */
function manyRoutes(count: number, backend: number): Record<string, Json> {
  const others = Array.from({ length: count - 1 }, (_, i): [string, Json] => [
    `${i}`.padStart(6, '0'),
    forwards(`/service-${i}/`, backend),
  ]);
  return Object.fromEntries([...others, ['zz-orders', forwards('/api/v1/orders/', backend)]]);
}

/** Filters that people put in front of an application, each with something to do for every request. */
export const sixFilters: readonly Json[] = [
  {
    type: 'AllowOnlyFilter',
    config: { rules: [{ name: 'local', from: [{ ip: { list: ['127.0.0.0/8', '192.0.2.0/24'] } }] }] },
  },
  {
    type: 'ConditionEnforcementFilter',
    config: { condition: "${request.method == 'GET' or request.method == 'POST'}" },
  },
  {
    type: 'CorsFilter',
    config: { policies: [{ acceptedOrigins: ['https://shop.example.com'], acceptedMethods: ['GET'] }] },
  },
  {
    type: 'HeaderFilter',
    config: { messageType: 'REQUEST', remove: ['Referer'], add: { 'X-Path': ['${request.uri.path}'] } },
  },
  { type: 'UriPathRewriteFilter', config: { mappings: { '/api/v1/orders': '/orders' } } },
  { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Served-By': ['gatewarden'] } } },
];

/** A route to three endpoints, which are the backend under three addresses. */
function spreads(backend: number): Json {
  const hosts = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
  const endpoints = hosts.map((host) => ({ uri: `http://${host}:${backend}` }));
  const backends = { type: 'Backends', config: { endpoints } };
  return { handler: { type: 'ReverseProxyHandler', config: { connections: 1024, backends } } };
}

function configured(name: string, title: string, routes: (backend: number) => Record<string, Json>): Peer {
  return {
    name,
    title,
    role: 'configured',
    warmup: justInTimeWarmup,
    needs: [],
    version: () => 'gatewarden run',
    command: (place) => gateway(place, instance(place.folder, routes(place.backend))),
  };
}

/** The gateway as `gatewarden run` starts it. */
export const configuredPeers: readonly Peer[] = [
  configured('routes-10', 'gatewarden run, 10 routes', (backend) => manyRoutes(10, backend)),
  configured('routes-10000', 'gatewarden run, 10,000 routes', (backend) => manyRoutes(10_000, backend)),
  configured('six-filters', 'gatewarden run, a chain of six filters', (backend) => ({
    orders: forwards('/api/v1/orders/', backend, sixFilters),
  })),
  {
    ...configured('base-uri', 'gatewarden run, one route with a baseURI', (backend) => ({
      orders: {
        handler: { type: 'ReverseProxyHandler', config: { connections: 1024 }, baseURI: `http://127.0.0.1:${backend}` },
      },
    })),
    role: 'compared',
  },
  {
    ...configured('three-endpoints', 'gatewarden run, one route with `backends` of three endpoints', (backend) => ({
      orders: spreads(backend),
    })),
    role: 'compared',
  },
];
