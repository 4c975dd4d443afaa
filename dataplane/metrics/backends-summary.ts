import { type BackendsSummary, MOST_SUMMARIES } from '../../contract/channel.ts';
import type { GaugeValue } from './gauges.ts';

/** Endpoints of a Backends in one state, and all that it knows; the second is for reports only. */
export const ENDPOINTS = 'gw_backends_endpoints';
export const KNOWN_ENDPOINTS = 'gw_backends_known_endpoints';

/** Puts the reports of all Backends together from their metrics. Those with the fewest sound endpoints come first. */
export function backendsSummaries(gauges: readonly GaugeValue[]): readonly BackendsSummary[] {
  const found = new Map<string, { total: number; ejected: number; down: number } & Named>();
  for (const { metric, labels, value } of gauges) {
    if (metric !== ENDPOINTS && metric !== KNOWN_ENDPOINTS) continue;
    const { fully_qualified_name: id = '', name = '', route = '', router = '', state } = labels;
    const known = found.get(id) ?? { router, route, name, total: 0, ejected: 0, down: 0 };
    found.set(id, known);
    if (metric === KNOWN_ENDPOINTS) known.total = value;
    else if (state === 'ejected' || state === 'down') known[state] = value;
  }
  return [...found.values()].sort((one, two) => soundShare(one) - soundShare(two)).slice(0, MOST_SUMMARIES);
}

type Named = Pick<BackendsSummary, 'router' | 'route' | 'name'>;

function soundShare({ total, ejected, down }: BackendsSummary): number {
  return total === 0 ? 0 : Math.max(0, total - ejected - down) / total;
}
