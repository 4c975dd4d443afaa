import type { AdminCall } from '../../../platform/admin/admin-table.ts';

/** A request of Common REST that was answered, for logs and metrics. It never has the token. */
export interface AnsweredCall {
  /** User of the cluster; null for a request that was refused before the user was known. */
  readonly caller: string | null;
  readonly operation: ApiOperationName;
  /** Collection, of a bounded number of names. */
  readonly collection: string;
  /** Path of the resource as it was sent, without the query. */
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Null for a request that was refused before it was one. */
  readonly transactionId: string | null;
}

export type ApiOperationName =
  | 'read'
  | 'query'
  | 'create'
  | 'put'
  | 'patch'
  | 'delete'
  | 'action'
  | 'describe'
  | 'other';

const BY_METHOD: Readonly<Record<string, ApiOperationName>> = { PUT: 'put', PATCH: 'patch', DELETE: 'delete' };
const COLLECTIONS: ReadonlySet<string> = new Set([
  'routes',
  'info',
  'secret-stores',
  'audit-services',
  'planes',
  'audit',
  'permissions',
  'route-states',
]);

/** Returns the operation that a request asks for, as far as its method and parameters tell. */
export function operationOf({
  method: sent,
  query,
  header,
}: Pick<AdminCall, 'method' | 'query' | 'header'>): ApiOperationName {
  if (query.has('_api') || query.has('_crestapi')) return 'describe';
  const method = sent === 'POST' ? (header('x-http-method-override') ?? sent) : sent;
  if (method === 'GET' || method === 'HEAD') {
    return ['_queryFilter', '_queryId', '_queryExpression'].some((name) => query.has(name)) ? 'query' : 'read';
  }
  if (method === 'POST') return (query.get('_action') ?? 'create') === 'create' ? 'create' : 'action';
  return BY_METHOD[method] ?? 'other';
}

/** Returns the collection that a path below a root leads to, as a label of metrics. */
export function collectionOf(root: string, path: string): string {
  const first = path.slice(root.length).split('/')[1] ?? '';
  return first === 'system' ? 'routes' : COLLECTIONS.has(first) ? first : 'other';
}

/** True for operations that change something. */
export function isChange(operation: ApiOperationName): boolean {
  return operation === 'create' || operation === 'put' || operation === 'patch' || operation === 'delete';
}
