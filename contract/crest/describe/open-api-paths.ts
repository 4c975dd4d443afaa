import type { JsonObject, JsonValue } from '../../document/json-value.ts';
import { PATCH_OPERATIONS } from '../patch-operation.ts';
import { type DescribedEndpoint, operationsOf } from './described-endpoint.ts';
import { type ActionDescription, movedReferences } from './description.ts';

const text = { type: 'string' };
const integer = { type: 'integer', format: 'int32' };
const inQuery = (name: string, schema: JsonObject, description: string, required = false): JsonObject => ({
  ...{ name, in: 'query', required, description, schema },
});
const inHeader = (name: string, description: string): JsonObject => ({
  ...{ name, in: 'header', required: false, description, schema: text },
});

/** Parameters of all operations, by the names under which operations refer to them. */
export const PARAMETERS: JsonObject = {
  _fields: inQuery('_fields', text, 'JSON pointers of the fields to return, separated by commas.'),
  _prettyPrint: inQuery('_prettyPrint', { type: 'boolean' }, 'Formats the body of the response.'),
  _mimeType: inQuery('_mimeType', text, 'Returns the field of `_fields` as a body of this media type.'),
  _queryFilter: inQuery('_queryFilter', text, 'Filter that selects resources; `true` selects all.', true),
  _sortKeys: inQuery('_sortKeys', text, 'Fields to sort by, each with `+` or `-` in front.'),
  _pageSize: inQuery('_pageSize', integer, 'Number of resources of a page.'),
  _pagedResultsCookie: inQuery('_pagedResultsCookie', text, 'Cookie of the page before.'),
  _pagedResultsOffset: inQuery('_pagedResultsOffset', integer, 'Number of resources to skip.'),
  _totalPagedResultsPolicy: inQuery(
    '_totalPagedResultsPolicy',
    { type: 'string', enum: ['NONE', 'ESTIMATE', 'EXACT'] },
    'Counts the resources of all pages.',
  ),
  _countOnly: inQuery('_countOnly', { type: 'boolean' }, 'Returns the number of resources only.'),
  'If-Match': inHeader('If-Match', 'Revision that the resource must have; `*` for any.'),
  'If-None-Match': inHeader('If-None-Match', 'Revision that the client has; `*` to create a resource only.'),
};

/** Schema of the body of an error. */
export const ERROR: JsonObject = {
  type: 'object',
  required: ['code', 'reason', 'message'],
  properties: {
    code: { type: 'integer' },
    reason: text,
    message: text,
    detail: {},
    cause: { type: 'object', properties: { message: text } },
  },
};

/** Returns the schema of a page of resources. */
export function pageSchema(label: string): JsonObject {
  return {
    type: 'object',
    required: ['results', 'resultCount'],
    properties: {
      results: { type: 'array', items: { $ref: schemaPlace(label) } },
      resultCount: integer,
      pagedResultsCookie: { type: ['string', 'null'] },
      totalPagedResultsPolicy: text,
      totalPagedResults: integer,
      remainingPagedResults: integer,
    },
  };
}

const PATCH: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    required: ['operation', 'field'],
    properties: {
      operation: { type: 'string', enum: PATCH_OPERATIONS },
      field: { type: 'string', description: 'JSON pointer.' },
      value: {},
      from: { type: 'string', description: 'JSON pointer.' },
    },
  },
};

/** Returns the name of a schema: `secret-store` becomes `SecretStore`. */
export function schemaName(name: string): string {
  return name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Returns the name of a definition that belongs to a schema. Generators of clients make types and files of names, so that
 * `any` or two names that differ in case only would break them.
 */
export function definitionName(label: string, key: string): string {
  return `${label}.${key}`;
}

/** Returns the reference to a schema. */
export function schemaPlace(name: string): string {
  return `#/components/schemas/${name}`;
}

/** Returns the paths of an endpoint: its own, and for a collection that of its resources. */
export function pathItems(one: DescribedEndpoint): [path: string, item: JsonObject][] {
  const { path, endpoint } = one;
  const own: [string, JsonObject][] = [
    [path === '' ? '/' : path, endpoint.kind === 'collection' ? collectionItem(one) : resourceItem(one)],
  ];
  if (endpoint.kind !== 'collection') return own;
  const id = { name: 'id', in: 'path', required: true, description: 'Identifier of the resource.', schema: text };
  return [...own, [`${path}/{id}`, { parameters: [id], ...resourceItem(one) }]];
}

function collectionItem(one: DescribedEndpoint): JsonObject {
  const operations = operationsOf(one);
  const label = schemaName(one.description.name);
  const query = operation(one, 'query', 'Query', {
    parameters: [...QUERY, ...COMMON].map(parameter),
    responses: answers({ 200: [`${label}Page`, 'Resources that match.'] }),
  });
  return {
    ...(operations.has('query') ? { get: query } : {}),
    ...postItem(one, 'collection', operations.has('create')),
  };
}

function resourceItem(one: DescribedEndpoint): JsonObject {
  const operations = operationsOf(one);
  const label = schemaName(one.description.name);
  const found = { 200: [label, 'The resource.'] } as const;
  const made = { ...found, 201: [label, 'The resource was created.'] } as const;
  const isCollection = one.endpoint.kind === 'collection';
  const puts = operations.has('update') || (isCollection && operations.has('create'));
  const item: Record<string, JsonValue> = {};
  if (operations.has('read')) {
    item['get'] = operation(one, 'read', 'Read', {
      parameters: ['If-None-Match', '_mimeType', ...COMMON].map(parameter),
      responses: { 304: { description: 'The client has this revision.' }, ...answers(found) },
    });
  }
  if (puts) {
    item['put'] = operation(one, 'put', isCollection ? 'Create or update' : 'Update', {
      parameters: ['If-Match', 'If-None-Match', ...COMMON].map(parameter),
      requestBody: body({ $ref: schemaPlace(label) }),
      responses: answers(isCollection && operations.has('create') ? made : found),
    });
  }
  if (operations.has('patch')) {
    item['patch'] = operation(one, 'patch', 'Patch', {
      parameters: ['If-Match', ...COMMON].map(parameter),
      requestBody: body(PATCH),
      responses: answers(found),
    });
  }
  if (isCollection && operations.has('delete')) {
    item['delete'] = operation(one, 'delete', 'Delete', {
      parameters: ['If-Match', ...COMMON].map(parameter),
      responses: answers({ 200: [label, 'The resource as it was.'] }),
    });
  }
  return { ...item, ...postItem(one, 'resource', false) };
}

/** A path has one POST for all actions, which a parameter tells apart. */
function postItem(one: DescribedEndpoint, of: ActionDescription['of'][number], creates: boolean): JsonObject {
  const actions = operationsOf(one).has('act')
    ? (one.description.actions ?? []).filter((action) => action.of.includes(of))
    : [];
  if (actions.length === 0 && !creates) return {};
  const label = schemaName(one.description.name);
  const names = [...(creates ? ['create'] : []), ...actions.map(({ name }) => name)];
  const about = actions.map(({ name, description }) => `\`${name}\`: ${description}`);
  const ref = { $ref: schemaPlace(label) };
  const moved = (schema: JsonObject = {}): JsonObject =>
    movedReferences(schema, schemaPlace(definitionName(label, '')));
  const requests = [...(creates ? [ref] : []), ...actions.map(({ request }) => moved(request))];
  const results = actions.map(({ response }) => moved(response));
  const action = {
    ...{ name: '_action', in: 'query', required: !creates, schema: { type: 'string', enum: names } },
    description: creates ? ['`create`: creates a resource.', ...about].join(' ') : about.join(' '),
  };
  return {
    post: operation(one, `${of}_post`, actions.length === 0 ? 'Create' : 'Action', {
      parameters: [action, ...COMMON.map(parameter)],
      requestBody: body(anyOf(requests), creates && actions.length === 0),
      responses: {
        ...(actions.length === 0 ? {} : { 200: json('Result of the action.', anyOf(results)) }),
        ...answers(creates ? { 201: [label, 'The resource was created.'] } : {}),
      },
    }),
  };
}

const COMMON = ['_fields', '_prettyPrint'];
const QUERY = [
  '_queryFilter',
  '_sortKeys',
  '_pageSize',
  '_pagedResultsCookie',
  '_pagedResultsOffset',
  '_totalPagedResultsPolicy',
  '_countOnly',
];

function operation(
  { path, description }: DescribedEndpoint,
  verb: string,
  summary: string,
  more: JsonObject,
): JsonObject {
  const words = [...path.split('/').filter((step) => step !== ''), verb].map((word) => word.replace(/\W/g, '_'));
  return {
    operationId: words.join('_'),
    tags: [description.title],
    summary,
    description: description.description,
    ...more,
  };
}

function parameter(name: string): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}

function answers(given: Readonly<Record<number, readonly [label: string, description: string]>>): JsonObject {
  const known = Object.entries(given).map(([status, [label, description]]) => [
    status,
    json(description, { $ref: schemaPlace(label) }),
  ]);
  return { ...Object.fromEntries(known), default: json('The request failed.', { $ref: schemaPlace('Error') }) };
}

function json(description: string, schema: JsonObject): JsonObject {
  return { description, content: { 'application/json': { schema } } };
}

function body(schema: JsonObject, required = true): JsonObject {
  return { required, content: { 'application/json': { schema } } };
}

function anyOf(schemas: readonly JsonObject[]): JsonObject {
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
}
