import { describe, expect, it } from 'vitest';
import type { ForbiddenAddresses, RouteEntry } from '../../../contract/snapshot.ts';
import type { Holding } from '../../../dataplane/link/holding.ts';
import { holdingDelta, withDeltas } from '../../../dataplane/link/holding-delta.ts';

const route = (id: string, hash: string): RouteEntry =>
  ({ router: '_router', id, name: id, hash, document: {} }) as RouteEntry;
const forbidden = (key: string, address: string): ForbiddenAddresses =>
  ({ type: 'forbidden-addresses', key, hash: address, places: [{ address, why: 'a test' }] }) as never;

const first: Holding = {
  revision: '1',
  base: { document: {}, hash: 'base-1' } as Holding['base'],
  routes: new Map([
    ['_router/a', route('a', '1')],
    ['_router/b', route('b', '1')],
  ]),
  defaults: [],
  gone: new Map([['uid-1', '1']]),
  unbuilt: new Set(),
  resources: new Map([
    ['one', forbidden('one', '10.0.0.1')],
    ['two', forbidden('two', '10.0.0.2')],
  ]),
};

/** One change of every field that a holding has. */
const changes: Required<Omit<Holding, 'unbuilt'>> = {
  revision: '2',
  base: { document: { handler: 'x' }, hash: 'base-2' } as Holding['base'],
  routes: new Map([...first.routes].filter(([key]) => key !== '_router/a')),
  defaults: ['_router'],
  gone: new Map([['uid-2', '7']]),
  resources: new Map([['two', forbidden('two', '10.0.0.9')]]),
};

describe('the difference between two holdings', () => {
  it.each(Object.keys(changes) as (keyof typeof changes)[])('restores %s after a restart', (field) => {
    const after: Holding = { ...first, [field]: changes[field] };
    const text = holdingDelta(first, after, 5);
    expect(withDeltas({ holding: first, time: 1 }, [text])).toEqual({ holding: after, time: 5 });
  });

  it('restores shared resources that are added and removed again', () => {
    const more: Holding = { ...first, resources: new Map([...first.resources, ['three', forbidden('three', '::1')]]) };
    const texts = [holdingDelta(first, more, 2), holdingDelta(more, first, 3)];
    expect(withDeltas({ holding: first, time: 1 }, texts)).toEqual({ holding: first, time: 3 });
    expect(withDeltas({ holding: first, time: 1 }, texts.slice(0, 1))).toEqual({ holding: more, time: 2 });
  });
});
