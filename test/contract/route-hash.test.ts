import { describe, expect, it } from 'vitest';
import { contentHash } from '../../contract/document/canonical.ts';
import { type HashedRoute, routeHash } from '../../contract/route-hash.ts';

const route: HashedRoute = { router: 'gateway._router', id: 'a', name: 'n', document: { handler: 'x' } };

describe('the hash of a route', () => {
  it('is that of its fields', () => {
    expect(routeHash(route)).toBe(contentHash({ ...route }));
  });

  it.each<[string, Partial<HashedRoute>]>([
    ['router', { router: 'gateway.other' }],
    ['id', { id: 'b' }],
    ['name', { name: 'm' }],
    ['document', { document: { handler: 'y' } }],
    ['refuses', { refuses: true }],
    ['tenant', { tenant: 't' }],
    ['files', { files: { 'a/b/c': 'AA==' } }],
    ['stores', { stores: ['s'] }],
  ])('is another one when %s is', (_, change) => {
    expect(routeHash({ ...route, ...change })).not.toBe(routeHash(route));
  });

  it('does not depend on the source of the route', () => {
    const entry = { ...route, generation: 7, sources: [{ uid: 'u', resourceVersion: '1' }], hash: 'x' };
    expect(routeHash(entry)).toBe(routeHash(route));
  });
});
