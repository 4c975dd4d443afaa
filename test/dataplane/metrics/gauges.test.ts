import { expect, it } from 'vitest';
import { Gauges, PlaneGauges } from '../../../dataplane/metrics/gauges.ts';

const at = (name: string): Record<string, string> => ({ name });

it('reports all changes', () => {
  const gauges = new Gauges();
  const numbers = { a: 0, b: 5 };
  expect(gauges.changed()).toBe(null);
  gauges.add('m', at('a'), () => numbers.a);
  const remove = gauges.add('m', at('b'), () => numbers.b);
  const both = (a: number): object[] => [
    { metric: 'm', labels: at('a'), value: a },
    { metric: 'm', labels: at('b'), value: 5 },
  ];
  expect(gauges.changed()).toEqual(both(0));
  expect(gauges.changed()).toBe(null);
  numbers.a = 1;
  expect(gauges.changed()).toEqual(both(1));
  remove();
  expect(gauges.changed()).toEqual(both(1).slice(0, 1));
});

it('shows the maximum over all units', () => {
  const plane = new PlaneGauges();
  const value = (metric: string, name: string, value: number) => ({ metric, labels: at(name), value });
  plane.set(0, [value('m', 'a', 1), value('m', 'b', 0)]);
  plane.set(1, [value('m', 'a', 0), value('m', 'b', 2), value('n', 'a', 3)]);
  expect(plane.all).toEqual([value('m', 'a', 1), value('m', 'b', 2), value('n', 'a', 3)]);
  plane.lost(1);
  expect(plane.all).toEqual([value('m', 'a', 1), value('m', 'b', 0)]);
  plane.set(0, []);
  expect(plane.all).toEqual([]);
});
