import type { ShownPermissions } from '../../contract/shown/shown-permissions.ts';
import { Poll } from './poll.ts';
import { queryAll, type RestResource } from './rest-client.ts';

const EVERY = 30_000;

/** Namespaces that are known, and in which the user may create routes, in their order. */
export const creatableNamespaces = new Poll<readonly string[]>(async (signal) => {
  const all = await queryAll<RestResource & ShownPermissions>('permissions', signal);
  return all.flatMap(({ namespace, routes }) => (namespace !== null && routes.create.allowed ? [namespace] : []));
}, EVERY);
