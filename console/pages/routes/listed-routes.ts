import type { RouteHistory } from '../../client/route-history.ts';
import { needsAttention } from '../../client/route-meaning.ts';
import type { RouteState } from '../../client/route-state.ts';

/** Columns that routes can be sorted by. */
export const SORTS = ['order', 'route', 'rate', 'errors', 'p50', 'p99', 'requests'] as const;
export type Sort = (typeof SORTS)[number];

/** Choice of a reader among all routes. */
export interface Choice {
  readonly text: string;
  readonly onlyProblems: boolean;
  readonly sort: Sort;
}

/** Reads a choice from the parameters of an address. */
export function choiceIn(query: URLSearchParams): Choice {
  const sort = SORTS.find((one) => one === query.get('sort')) ?? 'order';
  return { text: query.get('filter') ?? '', onlyProblems: query.get('show') === 'problems', sort };
}

/** Returns the routes that a choice selects, in its order: the order in which they are tried, or the largest first. */
export function listedRoutes(
  states: readonly RouteState[],
  { text, onlyProblems, sort }: Choice,
  history: RouteHistory,
): readonly RouteState[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = states.filter((state) => {
    if (onlyProblems && !needsAttention(state)) return false;
    if (words.length === 0) return true;
    const own =
      `${state.route}\n${state.name}\n${state.condition ?? ''}\n${state.router}\n${state.namespace ?? ''}`.toLowerCase();
    return words.every((word) => own.includes(word));
  });
  if (sort === 'order') return found;
  if (sort === 'route') return found.toSorted((a, b) => a.route.localeCompare(b.route));
  const ranked = found.map((state) => [rankOf(state, sort, history), state] as const);
  return ranked.sort(([a], [b]) => b - a).map(([, state]) => state);
}

function rankOf({ _id, figures }: RouteState, sort: Exclude<Sort, 'order' | 'route'>, history: RouteHistory): number {
  if (sort !== 'errors') return figures?.[sort] ?? -1;
  const recent = history.recent(_id);
  return recent === null || recent.answered === 0 ? 0 : recent.errors / recent.answered;
}
