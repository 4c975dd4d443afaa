import { Poll } from './poll.ts';
import { queryAll, type RestResource } from './rest-client.ts';
import { RestFailure } from './rest-failure.ts';

/** A route that was deleted, and whose versions the gateway keeps. */
export interface DeletedRoute extends RestResource {
  readonly route: string;
  readonly router: string;
  readonly at: string;
  /** Path of its versions below the API. */
  readonly versions: string;
}

const EVERY = 10_000;

/** Deleted routes, the last one first. Controllers have none: the cluster removes the versions with the Route. */
export const deletedRoutes = new Poll<readonly DeletedRoute[]>(async (signal) => {
  try {
    return await queryAll<DeletedRoute>('deleted-routes', signal);
  } catch (error) {
    if (error instanceof RestFailure && (error.kind === 'missing' || error.kind === 'forbidden')) return [];
    throw error;
  }
}, EVERY);
