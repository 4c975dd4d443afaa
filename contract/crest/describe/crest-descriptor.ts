import type { JsonObject } from '../../document/json-value.ts';
import { PATCH_OPERATIONS } from '../patch-operation.ts';
import { type DescribedEndpoint, operationsOf } from './described-endpoint.ts';
import { type ActionDescription, type ApiFacts, movedReferences } from './description.ts';

const ALWAYS = { supportedLocales: [], stability: 'STABLE' };

/** Returns the native descriptor of Common REST for endpoints. */
export function crestDescriptor(endpoints: readonly DescribedEndpoint[], { title, version }: ApiFacts): JsonObject {
  const [first, ...more] = endpoints;
  const { name, description } = first === undefined || more.length > 0 ? api(title) : first.description;
  const definitions: Record<string, JsonObject> = {};
  for (const one of endpoints) {
    const { schema, definitions: others = {} } = one.schema;
    for (const [key, value] of Object.entries({ ...others, [one.description.name]: schema })) {
      definitions[key] ??= movedReferences(value, '#/definitions/');
    }
  }
  return {
    id: `frapi:openig:${name}`,
    version,
    description,
    definitions,
    services: Object.fromEntries(endpoints.map((one) => [one.description.name, serviceOf(one)])),
    paths: Object.fromEntries(
      endpoints.map(({ path, description: { name: service } }) => [path, { '0.0': { $ref: `#/services/${service}` } }]),
    ),
  };
}

function api(title: string): { readonly name: string; readonly description: string } {
  return { name: 'api', description: title };
}

function serviceOf(one: DescribedEndpoint): JsonObject {
  const { name, title, description, hasRevisions } = one.description;
  const isCollection = one.endpoint.kind === 'collection';
  const operations = operationsOf(one);
  const create = (mode: string): JsonObject =>
    operations.has('create') ? { create: { mode, singleton: false, ...ALWAYS } } : {};
  const onResource = {
    ...(operations.has('read') ? { read: ALWAYS } : {}),
    ...(operations.has('update') ? { update: ALWAYS } : {}),
    ...(operations.has('delete') ? { delete: ALWAYS } : {}),
    ...(operations.has('patch')
      ? { patch: { operations: PATCH_OPERATIONS.map((word) => word.toUpperCase()), ...ALWAYS } }
      : {}),
    ...actionsOf(one, 'resource'),
  };
  return {
    title,
    description,
    resourceSchema: { $ref: `#/definitions/${name}` },
    mvccSupported: hasRevisions,
    ...(isCollection ? create('ID_FROM_SERVER') : onResource),
    ...(operations.has('query') ? { queries: [QUERY] } : {}),
    ...(isCollection ? actionsOf(one, 'collection') : {}),
    ...(isCollection
      ? { items: { pathParameter: { name: 'id', type: 'string' }, ...create('ID_FROM_CLIENT'), ...onResource } }
      : {}),
  };
}

const QUERY: JsonObject = {
  type: 'FILTER',
  pagingModes: ['COOKIE', 'OFFSET'],
  countPolicies: ['NONE', 'EXACT'],
  ...ALWAYS,
};

function actionsOf(one: DescribedEndpoint, of: ActionDescription['of'][number]): JsonObject {
  const actions = (one.description.actions ?? []).filter((action) => action.of.includes(of));
  if (actions.length === 0 || !operationsOf(one).has('act')) return {};
  return {
    actions: actions.map(({ name, description, request = {}, response = {} }) => ({
      name,
      description,
      request: movedReferences(request, '#/definitions/'),
      response: movedReferences(response, '#/definitions/'),
      ...ALWAYS,
    })),
  };
}
