import type { JsonObject } from '../../contract/document/json-value.ts';
import {
  ALL_ROUTES,
  type Permission,
  ROUTE_ACTIONS,
  type RouteAction,
  type ShownPermissions,
} from '../../contract/shown/shown-permissions.ts';
import { Poll } from './poll.ts';
import { read } from './rest-client.ts';
import { usePoll } from './use-poll.ts';

export type RoutePermissions = ShownPermissions['routes'];

const EVERY = 15_000;
const polls = new Map<string, Poll<JsonObject>>();

/**
 * Returns what the user may do with routes, so that buttons that would be refused are disabled and say why. Nothing is
 * allowed before it is known.
 *
 * @param of namespace, or namespace and name as in `shop.orders`; all routes by default, as in an instance without a cluster
 */
export function usePermissions(of: string = ALL_ROUTES): RoutePermissions {
  const { value, failure } = usePoll(pollOf(of));
  if (value !== null && failure === null) return (value as unknown as ShownPermissions).routes;
  return unknownPermissions(failure === null ? 'Your permissions are being checked' : failure.message);
}

/** Returns permissions that allow nothing. */
export function unknownPermissions(reason: string): RoutePermissions {
  const refused: Permission = { allowed: false, reason };
  return Object.fromEntries(ROUTE_ACTIONS.map((action) => [action, refused])) as Record<RouteAction, Permission>;
}

function pollOf(id: string): Poll<JsonObject> {
  const known = polls.get(id);
  if (known !== undefined) return known;
  const made = new Poll<JsonObject>((signal) => read(`permissions/${encodeURIComponent(id)}`, signal), EVERY);
  polls.set(id, made);
  return made;
}
