import type { RouteState } from '../../client/route-state.ts';

/** Returns the router whose routes have the shortest addresses. */
export function mainRouterOf(states: readonly RouteState[]): string {
  const usual = 'gateway._router';
  return states.some(({ router }) => router === usual) ? usual : (states[0]?.router ?? '');
}
