import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import type { Resource } from '../../contract/crest/resource.ts';
import {
  ALL_ROUTES,
  type Permission,
  ROUTE_ACTIONS,
  type RouteAction,
  type ShownPermissions,
} from '../../contract/shown/shown-permissions.ts';

const text = { type: ['string', 'null'] };
const permission = {
  type: 'object',
  required: ['allowed', 'reason'],
  properties: { allowed: { type: 'boolean' }, reason: text },
};

/** Description of the permissions of a caller. */
export const PERMISSIONS: EndpointDescription = {
  name: 'permissions',
  title: 'Permissions of the caller',
  description: `Operations of routes that would be allowed to the caller, and the reasons for the others. '${ALL_ROUTES}' is about all routes.`,
  hasRevisions: false,
  schema: () => ({
    schema: {
      type: 'object',
      properties: {
        ...{ caller: text, namespace: text, route: text },
        routes: {
          type: 'object',
          required: [...ROUTE_ACTIONS],
          properties: Object.fromEntries(ROUTE_ACTIONS.map((action) => [action, permission])),
        },
      },
    },
  }),
};

/** Operations that write. */
export const WRITING: readonly RouteAction[] = ['create', 'update', 'patch', 'delete'];

/** Reasons of a refusal; null for none. */
export interface Refusals {
  /** Of every operation. */
  readonly all: string | null;
  /** Of operations that write. */
  readonly writing: string | null;
}

/** Returns the permissions in an instance, which everybody has who reaches its API. */
export function instancePermissions({ all, writing }: Refusals): Resource & { readonly id: string } {
  const content: ShownPermissions = {
    ...{ caller: null, namespace: null, route: null },
    routes: permissionsOf((action) => all ?? (WRITING.includes(action) ? writing : null)),
  };
  return { id: ALL_ROUTES, revision: null, content };
}

/** Returns the permission of each action. @param reasonOf returns the reason of a refusal; null for none */
export function permissionsOf(reasonOf: (action: RouteAction) => string | null): ShownPermissions['routes'] {
  const made = ROUTE_ACTIONS.map((action): [RouteAction, Permission] => {
    const reason = reasonOf(action);
    return [action, { allowed: reason === null, reason }];
  });
  return Object.fromEntries(made) as Record<RouteAction, Permission>;
}
