import { badRequest } from '../../../contract/crest/crest-error.ts';

/** Namespace and name of a Route. */
export interface RoutePlace {
  readonly namespace: string;
  readonly name: string;
}

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_NAMESPACE = 63;
const LONGEST_NAME = 253;

/**
 * Reads the id of a Route or another resource: `namespace.name`. A namespace has no dots, so the first one ends it.
 *
 * @throws CrestError
 */
export function readRouteId(id: string | null, what = 'route'): RoutePlace {
  if (id === null) throw badRequest("'_id' is missing: a route needs an id such as 'shop.orders' (namespace and name)");
  const dot = id.indexOf('.');
  const [namespace, name] = [id.slice(0, Math.max(0, dot)), id.slice(dot + 1)];
  if (!isNamespace(namespace) || !NAME.test(name) || name.length > LONGEST_NAME) {
    throw badRequest(
      `a ${what} id must be 'namespace.name', with names as Kubernetes has them: lower case letters, digits, hyphens`,
    );
  }
  return { namespace, name };
}

/** True for a text that can be the name of a namespace. */
export function isNamespace(name: string): boolean {
  return LABEL.test(name) && name.length <= LONGEST_NAMESPACE;
}

/** Writes the id that `readRouteId` reads. */
export function routeId({ namespace, name }: RoutePlace): string {
  return `${namespace}.${name}`;
}
