import type { JsonObject } from '../../contract/document/json-value.ts';
import { query, type RestResource } from './rest-client.ts';

/** A version of a route that the gateway keeps. */
export interface RouteVersion extends RestResource {
  readonly number: number;
  readonly at: string;
  readonly operation: string;
  readonly transactionId: string | null;
  /** Field manager of the cluster. */
  readonly by: string | null;
  readonly document: JsonObject;
}

/** Returns the versions of a route, the newest first. @param path of its versions below the API @throws RestFailure */
export function versionsOf(path: string, signal: AbortSignal): Promise<readonly RouteVersion[]> {
  return query<RouteVersion>(path, { _queryFilter: 'true', _sortKeys: '-number' }, signal);
}
