import type { JsonObject } from '../../contract/document/json-value.ts';
import { Poll } from './poll.ts';
import { queryAll, type RestResource, read } from './rest-client.ts';
import { RouteHistory } from './route-history.ts';
import type { RouteState } from './route-state.ts';

/** Figures move, and people watch them. */
const FIGURES = 2000;
const STATES = 5000;

/** A resource whose fields a page reads as it finds them. */
export type OpenResource = RestResource & JsonObject;

export const routeHistory = new RouteHistory();

export const routeStates = new Poll<readonly RouteState[]>(async (signal) => {
  const states = await queryAll<RouteState>('route-states', signal);
  routeHistory.add(Date.now(), states);
  return states;
}, FIGURES);

export const planes = new Poll<readonly OpenResource[]>((signal) => queryAll('planes', signal), STATES);
export const secretStores = new Poll<readonly OpenResource[]>((signal) => queryAll('secret-stores', signal), STATES);
export const auditServices = new Poll<readonly OpenResource[]>((signal) => queryAll('audit-services', signal), STATES);
export const serverInfo = new Poll<JsonObject>((signal) => read('info', signal), 0);
