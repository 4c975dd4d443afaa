import type { RouteEntry } from './snapshot.ts';

/** The order in which the routes of a router are tried: by name, then by id. */
export function compareRoutes(a: Pick<RouteEntry, 'name' | 'id'>, b: Pick<RouteEntry, 'name' | 'id'>): number {
  return compareTexts(a.name, b.name) || compareTexts(a.id, b.id);
}

/** Characters compare by their code, as file names do. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
