import { describe, expect, it } from 'vitest';
import type { RouteEntry, Update } from '../../contract/snapshot.ts';
import { SlotMemory } from '../../dataplane/metrics/route-slots.ts';
import { type ConfiguredUnit, PlaneConfiguration } from '../../dataplane/plane-configuration.ts';
import type { UnitOrder } from '../../dataplane/unit-messages.ts';

/** An update from `id` or `id:name` words; a word that begins with `-` takes a route away. */
function update(words: string, defaults: readonly string[] = []): Update {
  const all = words.split(' ').filter((word) => word !== '');
  const set = all
    .filter((word) => !word.startsWith('-'))
    .map((word): RouteEntry => {
      const [id = '', name = id] = word.split(':');
      return { router: 'r', id, name, document: {}, hash: word };
    });
  const remove = all.filter((word) => word.startsWith('-')).map((word) => ({ router: 'r', id: word.slice(1) }));
  return { revision: words, base: null, set, remove, defaults };
}

/** A plane with one unit that runs what it is told only when `run` is called. */
function onePlane(first: Update): {
  apply(next: Update): Record<string, number>;
  run(): void;
  readonly first: Record<string, number>;
} {
  const orders: Extract<UnitOrder, { kind: 'update' }>[] = [];
  const unit: ConfiguredUnit = {
    slots: new SlotMemory(),
    tell: (order) => void (order.kind === 'update' && orders.push(order)),
  };
  const configuration = new PlaneConfiguration(first, () => {});
  const slotsOf = (set: readonly { id: string; slot: number }[]): Record<string, number> =>
    Object.fromEntries(set.map(({ id, slot }) => [id, slot]));
  return {
    first: slotsOf(configuration.whole(new SlotMemory()).set),
    apply(next) {
      void configuration.apply(next, [unit]);
      return slotsOf(orders.at(-1)!.update.set);
    },
    run: () => configuration.applied(unit, orders.at(-1)!.order, []),
  };
}

describe('the places where routes are counted', () => {
  it('are given to every route and to the default handlers', () => {
    const configuration = new PlaneConfiguration(update('a b', ['r']), () => {});
    const { set, defaultSlots } = configuration.whole(new SlotMemory());
    expect([...set.map(({ slot }) => slot), defaultSlots['r']].sort()).toEqual([0, 1, 2]);
  });

  it('stay while a route changes, and are others under another name', () => {
    const plane = onePlane(update('a b'));
    expect(plane.apply(update('a'))).toEqual({ a: plane.first['a'] });
    expect(plane.apply(update('a:z'))).toEqual({ a: 2 });
  });

  it('are used again only when nobody counts in them any more', () => {
    const plane = onePlane(update('a'));
    expect(plane.apply(update('-a b'))).toEqual({ b: 1 });
    expect(plane.apply(update('c'))).toEqual({ c: 2 });
    plane.run();
    expect(plane.apply(update('d'))).not.toEqual({ d: 0 }); // the order before is still out
  });

  it('are free once every unit runs what took them away', () => {
    const plane = onePlane(update('a'));
    plane.apply(update('-a b'));
    plane.run();
    expect(plane.apply(update('c'))).toEqual({ c: 0 });
  });
});
