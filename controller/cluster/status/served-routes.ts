import { z } from 'zod';
import type { ShownFigures } from '../../../contract/shown/shown-figures.ts';
import { routeKeyText } from '../../../contract/snapshot.ts';
import type { ResourceVerdict } from '../../compile/resources/resource-verdict.ts';
import { BASE_PROBLEMS } from '../../publish/plane-facts.ts';
import type { RoutePlanes } from '../../publish/route-planes.ts';

/** A Route on data planes. */
export interface ServedRoute {
  /** Namespace and name, such as `shop.orders`. */
  readonly id: string;
  /** Data planes that run the version that they are to run. */
  readonly current: number;
  /** Data planes that are to run it. */
  readonly of: number;
  /** Data planes that could not build it. */
  readonly unbuilt: number;
  /** Of all data planes together; null before their first report. */
  readonly figures: ShownFigures | null;
}

const count = z.number().nonnegative();

const servedRoute: z.ZodType<ServedRoute> = z.object({
  id: z.string(),
  current: count,
  of: count,
  unbuilt: count,
  figures: z
    .object({
      ...{ requests: count, active: count, answered: count, clientErrors: count, serverErrors: count },
      ...{ unanswered: count, rate: count, p50: count, p95: count, p99: count, longest: count },
    })
    .nullable(),
});

/** Returns the Routes as the data planes that this controller knows of serve them. */
export function servedRoutes(
  verdicts: readonly ResourceVerdict[],
  planes: Pick<RoutePlanes, 'of'>,
  figures: ReadonlyMap<string, ShownFigures>,
): ServedRoute[] {
  return verdicts.flatMap((verdict) => {
    const { resource, dataPlanes } = verdict;
    const { kind, namespace, name } = resource;
    if (kind !== 'Route') return [];
    const id = `${namespace}.${name}`;
    const selected = planes.of({ namespace, dataPlanes }).planes;
    const wanted = verdict.remembered ?? verdict.route;
    if (wanted === null) return [{ id, current: 0, of: selected.length, unbuilt: 0, figures: null }];
    const key = routeKeyText(wanted);
    const missing = selected.filter(({ running }) => running.get(key) !== wanted.hash);
    const unbuilt = missing.filter(({ problems }) => problems.has(key) || problems.has(BASE_PROBLEMS));
    return [
      {
        ...{ id, current: selected.length - missing.length, of: selected.length },
        ...{ unbuilt: unbuilt.length, figures: figures.get(key) ?? null },
      },
    ];
  });
}

/** Reads the Routes that a leader sent. @throws Error for anything else */
export function readServedRoutes(sent: Buffer): ServedRoute[] {
  return z.array(servedRoute).parse(JSON.parse(sent.toString('utf8')));
}
