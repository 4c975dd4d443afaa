import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FIGURE } from '../../../contract/route-report.ts';
import type { RouteEntry, Update } from '../../../contract/snapshot.ts';
import { figuresIn, SlotMemory } from '../../../dataplane/metrics/route-slots.ts';
import type { BuildProblem } from '../../../dataplane/routes/configuration.ts';
import { type ConfiguredUnit, PlaneConfiguration } from '../../../dataplane/supervisor/plane-configuration.ts';
import type { UnitOrder } from '../../../dataplane/unit/unit-messages.ts';

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
  run(): Promise<void>;
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
      void configuration.apply(next, () => [unit]);
      return slotsOf(orders.at(-1)!.update.set);
    },
    async run() {
      configuration.applied(unit, orders.at(-1)!.order, []);
      await setImmediate();
    },
  };
}

it('sums what units count of a route and of a default handler', () => {
  const configuration = new PlaneConfiguration(update('a b', ['r']), () => {});
  const units = [1, 2].map((): ConfiguredUnit => ({ slots: new SlotMemory(), tell: () => {} }));
  const [first, second] = units.map(({ slots }) => configuration.whole(slots));
  const count = (unit: ConfiguredUnit | undefined, slot: number | undefined, requests: number): void => {
    const figures = figuresIn(unit!.slots.slot(slot!)!);
    for (let at = 0; at < requests; at++) figures.begin();
    figures.end(200, 1, false);
  };
  count(units[0], first?.set.find(({ id }) => id === 'b')?.slot, 2);
  count(units[1], second?.set.find(({ id }) => id === 'b')?.slot, 3);
  count(units[1], second?.defaultSlots['r'], 1);
  const series = configuration.series(units);
  expect(series.map(({ route, begun, ended }) => [route, begun, ended])).toEqual([
    ['a', 0, 0],
    ['b', 5, 2],
    ['default', 1, 1],
  ]);
  for (const { begun, ended, figures } of series) {
    expect([figures[FIGURE.begun], figures[FIGURE.ended]]).toEqual([begun, ended]);
  }
});

describe('the places where routes are counted', () => {
  it('are assigned to every route and to the default handlers', () => {
    const configuration = new PlaneConfiguration(update('a b', ['r']), () => {});
    const { set, defaultSlots } = configuration.whole(new SlotMemory());
    expect([...set.map(({ slot }) => slot), defaultSlots['r']].sort()).toEqual([0, 1, 2]);
  });

  it('stay while a route changes, and differ for another name', () => {
    const plane = onePlane(update('a b'));
    expect(plane.apply(update('a'))).toEqual({ a: plane.first['a'] });
    expect(plane.apply(update('a:z'))).toEqual({ a: 2 });
  });

  it('are reused only when no unit counts in them any more', async () => {
    const plane = onePlane(update('a'));
    expect(plane.apply(update('-a b'))).toEqual({ b: 1 });
    expect(plane.apply(update('c'))).toEqual({ c: 2 });
    await plane.run();
    expect(plane.apply(update('d'))).not.toEqual({ d: 0 }); // the order before is still out
  });

  it('are free once every unit runs the update that removed them', async () => {
    const plane = onePlane(update('a'));
    plane.apply(update('-a b'));
    await plane.run();
    expect(plane.apply(update('c'))).toEqual({ c: 0 });
  });

  it('do not become more while routes are renamed, come and go', async () => {
    const plane = onePlane(update('a b', ['r']));
    for (let round = 0; round < 40; round++) {
      const placed = plane.apply(update(`a:${round} c${round} -c${round - 1}`, round % 2 === 0 ? ['r'] : ['s']));
      await plane.run();
      expect(Math.max(...Object.values(placed))).toBeLessThan(8);
    }
  });
});

/** Several units that answer an order with these problems, which are none where nothing is said. */
function units(...answers: (readonly BuildProblem[])[]): {
  readonly configuration: PlaneConfiguration;
  apply(next: Update, how?: 'apply' | 'applyWhole'): Promise<readonly BuildProblem[]>;
  /** What each unit was told, as `base|id id|-id`. */
  readonly told: string[][];
  answers: (readonly BuildProblem[])[];
  held(): string;
} {
  const configuration = new PlaneConfiguration({ ...update('a b'), base: { document: {}, hash: 'one' } }, () => {});
  const told: string[][] = [];
  const self = {
    configuration,
    told,
    answers,
    apply: (next: Update, how: 'apply' | 'applyWhole' = 'applyWhole') => configuration[how](next, () => all),
    held() {
      const { base, set } = configuration.whole(new SlotMemory());
      return `${base?.hash}|${set.map(({ hash }) => hash).join(' ')}`;
    },
  };
  const all = answers.map((_, at): ConfiguredUnit => {
    told.push([]);
    const unit: ConfiguredUnit = {
      slots: new SlotMemory(),
      tell(order) {
        if (order.kind !== 'update') return;
        const { base, set, remove } = order.update;
        const gone = remove.map(({ id }) => `-${id}`);
        told[at]!.push([base?.hash ?? '', set.map(({ hash }) => hash).join(' '), gone.join(' ')].join('|'));
        const problems = self.answers[at]!;
        self.answers[at] = [];
        queueMicrotask(() => configuration.applied(unit, order.order, problems));
      },
    };
    return unit;
  });
  return self;
}

const problem = { code: 'build', severity: 'error', path: [], message: 'no' } as const;
const badBase: BuildProblem = { route: null, problems: [problem], keepsServing: true };
const bad = (id: string, keepsServing: boolean): BuildProblem => ({
  route: { router: 'r', id },
  problems: [problem],
  keepsServing,
});

describe('a change that cannot be built', () => {
  const next: Update = { ...update('a:z c -b'), base: { document: {}, hash: 'two' } };

  it('keeps the previous state if an update must apply completely', async () => {
    const plane = units([badBase], [badBase]);
    const before = plane.configuration.whole(new SlotMemory());
    expect(await plane.apply(next)).toEqual([badBase]);
    expect(plane.configuration.whole(new SlotMemory())).toEqual(before);
    expect(plane.told).toEqual([['two|a:z c|-b'], ['two|a:z c|-b']]);
  });

  it('is rolled back on units that built it if others failed', async () => {
    const plane = units([], [badBase]);
    expect(await plane.apply(next)).toEqual([badBase]);
    expect(plane.held()).toBe('one|a b');
    expect(plane.told).toEqual([['two|a:z c|-b', 'one|a b|-c'], ['two|a:z c|-b']]);
  });

  it('does not reassign the slots of routes that continue', async () => {
    const plane = units([badBase]);
    await plane.apply(next);
    await plane.apply(update('d e f'));
    const slots = plane.configuration.whole(new SlotMemory()).set.map(({ slot }) => slot);
    expect(new Set(slots).size).toBe(5);
  });

  it('gives back the places of routes that nobody counts', async () => {
    const plane = units([badBase]);
    for (let round = 0; round < 20; round++) {
      plane.answers = [[badBase]];
      await plane.apply({ ...update(`a:${round} c${round}`), base: { document: {}, hash: 'two' } });
    }
    await plane.apply(update('d'));
    expect(Math.max(...plane.configuration.whole(new SlotMemory()).set.map(({ slot }) => slot))).toBeLessThan(6);
  });

  it('leaves the base that serves for units that start later', async () => {
    const plane = units([badBase]);
    await plane.apply(next, 'apply');
    expect(plane.held()).toBe('one|a:z c');
  });

  it('leaves the version of a route that serves for units that start later', async () => {
    const plane = units([bad('a', true), bad('c', false)]);
    await plane.apply(update('a:z c'));
    expect(plane.held()).toBe('one|a b c');
    const slots = plane.configuration.whole(new SlotMemory()).set.map(({ slot }) => slot);
    await plane.apply(update('d e'));
    expect(
      plane.configuration
        .whole(new SlotMemory())
        .set.slice(0, 3)
        .map(({ slot }) => slot),
    ).toEqual(slots);
    expect(new Set(plane.configuration.whole(new SlotMemory()).set.map(({ slot }) => slot)).size).toBe(5);
  });
});
