import type { JsonValue } from '../document/json-value.ts';
import { badRequest, CrestError } from './crest-error.ts';
import type { CrestOperation } from './crest-operation.ts';
import type { CollectionProvider, CrestCall, SingletonProvider } from './provider.ts';
import type { Resource } from './resource.ts';
import type { QueryPage } from './resource-query.ts';

/** Result of an operation. */
export type CrestOutcome =
  | { readonly kind: 'created' | 'resource'; readonly resource: Resource }
  | { readonly kind: 'page'; readonly page: QueryPage }
  | { readonly kind: 'value'; readonly value: JsonValue | undefined };

/** Operation of a request for a path below an endpoint. */
export type RunnableOperation = Exclude<CrestOperation, { readonly kind: 'describe' }>;

/** Runs an operation on a collection (no id) or on a resource of it. @throws CrestError */
export async function runOnCollection(
  provider: CollectionProvider,
  path: readonly string[],
  operation: RunnableOperation,
  call: CrestCall,
): Promise<CrestOutcome> {
  const [id = null, ...more] = path;
  if (operation.kind === 'put' && more.length === 1) throw cannotCreateBelow();
  if (more.length > 0) throw notFound(path);
  switch (operation.kind) {
    case 'create':
      if (id !== null) throw cannotCreateBelow();
      return created(
        await required(provider.create).call(provider, idIn(operation.content['_id']), operation.content, call),
      );
    case 'put':
      return putResource(provider, idOf(id), operation, call);
    case 'action':
      return value(await required(provider.act).call(provider, id, operation.action, operation.body, call));
    case 'query':
      if (id !== null) throw badRequest('only a collection can be queried');
      return { kind: 'page', page: await required(provider.query).call(provider, operation.query, call) };
    case 'read':
      return resource(await required(provider.read).call(provider, idOf(id, ', or _queryFilter for a query'), call));
    case 'update':
      return resource(
        await required(provider.update).call(provider, idOf(id), operation.expected, operation.content, call),
      );
    case 'delete':
      return resource(await required(provider.delete).call(provider, idOf(id), operation.expected, call));
    case 'patch':
      return resource(
        await required(provider.patch).call(provider, idOf(id), operation.expected, operation.operations, call),
      );
  }
}

/** Runs an operation on a singleton. @throws CrestError */
export async function runOnSingleton(
  provider: SingletonProvider,
  path: readonly string[],
  operation: RunnableOperation,
  call: CrestCall,
): Promise<CrestOutcome> {
  if (path.length > (operation.kind === 'put' ? 1 : 0)) throw notFound(path);
  switch (operation.kind) {
    case 'create':
    case 'put':
    case 'delete':
    case 'query':
      throw badRequest(`a singleton cannot be ${IMPOSSIBLE[operation.kind]}`);
    case 'action':
      return value(await required(provider.act).call(provider, operation.action, operation.body, call));
    case 'read':
      return resource(await required(provider.read).call(provider, call));
    case 'update':
      return resource(await required(provider.update).call(provider, operation.expected, operation.content, call));
    case 'patch':
      return resource(await required(provider.patch).call(provider, operation.expected, operation.operations, call));
  }
}

const IMPOSSIBLE = {
  create: 'created',
  put: 'created: use If-Match to update it',
  delete: 'deleted',
  query: 'queried',
};

async function putResource(
  provider: CollectionProvider,
  id: string,
  { content, orUpdates }: Extract<CrestOperation, { readonly kind: 'put' }>,
  call: CrestCall,
): Promise<CrestOutcome> {
  try {
    return created(await required(provider.create).call(provider, id, content, call));
  } catch (error) {
    const exists = error instanceof CrestError && error.status === 412;
    if (!exists || !orUpdates || provider.update === undefined) throw error;
  }
  return resource(await provider.update(id, null, content, call));
}

/** A client may choose the id of a new resource in its body. */
function idIn(given: JsonValue | undefined): string | null {
  return typeof given === 'string' && given !== '' ? given : null;
}

function idOf(id: string | null, otherwise = ''): string {
  if (id === null) throw badRequest(`the path names a collection: add the id of a resource${otherwise}`);
  return id;
}

function required<T>(operation: T | undefined): T {
  if (operation === undefined) throw new CrestError(501, 'the resource does not support this operation');
  return operation;
}

function cannotCreateBelow(): CrestError {
  return badRequest('a resource cannot be created below another one');
}

function notFound(path: readonly string[]): CrestError {
  return new CrestError(404, `there is no resource '${path.join('/')}'`);
}

function created(made: Resource): CrestOutcome {
  return { kind: 'created', resource: made };
}

function resource(found: Resource): CrestOutcome {
  return { kind: 'resource', resource: found };
}

function value(result: JsonValue | undefined): CrestOutcome {
  return { kind: 'value', value: result };
}
