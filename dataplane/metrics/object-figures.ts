import type { ObjectFigure, ObjectFigures } from '../../contract/shown/object-figures.ts';
import type { Observation } from '../unit/unit-messages.ts';
import type { GaugeValue } from './gauges.ts';

/** Returns the metrics of each object, in the order in which objects came to have one. Observed times are left out. */
export function objectFigures(
  observations: readonly Observation[],
  gauges: readonly GaugeValue[],
): readonly ObjectFigures[] {
  const objects = new Map<string, Omit<ObjectFigures, 'figures'> & { readonly figures: ObjectFigure[] }>();
  for (const { metric, labels, count } of observations) if (!metric.endsWith('_seconds')) add(metric, labels, count);
  for (const { metric, labels, value } of gauges) add(metric, labels, value);
  return [...objects.values()];

  function add(metric: string, all: Readonly<Record<string, string>>, value: number): void {
    const { fully_qualified_name: object, name = '', route = '', router = '', ...labels } = all;
    if (object === undefined) return;
    const known = objects.get(object) ?? { object, name, route, router, figures: [] };
    objects.set(object, known);
    known.figures.push({ metric, labels, value });
  }
}
