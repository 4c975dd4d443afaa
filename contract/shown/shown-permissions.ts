/** Operations of routes that people want to know about before they try them. */
export const ROUTE_ACTIONS = [
  'read',
  'query',
  'create',
  'update',
  'patch',
  'delete',
  'validate',
  'explain',
  'dryRun',
] as const;

export type RouteAction = (typeof ROUTE_ACTIONS)[number];

/** Whether something would be refused, and why. */
export type Permission = {
  readonly allowed: boolean;
  /** Words for people; null where it is allowed. */
  readonly reason: string | null;
};

/** What a caller may do with the routes of an instance, of a namespace, or with one route. */
export type ShownPermissions = {
  /** User of the cluster; null where nobody signs in. */
  readonly caller: string | null;
  /** Null for all of them, and outside of a cluster. */
  readonly namespace: string | null;
  /** Id of the one route that the answer is about; null for all. */
  readonly route: string | null;
  readonly routes: Readonly<Record<RouteAction, Permission>>;
};

/** Id of the resource that is about all routes. */
export const ALL_ROUTES = '*';
