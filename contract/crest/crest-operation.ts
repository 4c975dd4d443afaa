import type { JsonObject, JsonValue } from '../document/json-value.ts';
import { type ApiVersion, isAtLeast } from './api-version.ts';
import { badRequest, CrestError } from './crest-error.ts';
import type { Parameters } from './parameters.ts';
import { type PatchOperation, readPatch } from './patch-operation.ts';
import { expectedRevision, type HeaderValue, knownRevision, putKind, refuse, refuseDates } from './preconditions.ts';
import type { ExpectedRevision } from './provider.ts';
import { readBody, readContent, readOptionalBody, refuseOtherMedia } from './request-body.ts';
import { isQuery, QUERY_PARAMETERS, type ResourceQuery, readQuery } from './resource-query.ts';

/** One of the operations of Common REST, read from a request. */
export type CrestOperation =
  | { readonly kind: 'create'; readonly content: JsonObject }
  /** A PUT that creates; with `orUpdates` it changes the resource if that exists. */
  | { readonly kind: 'put'; readonly content: JsonObject; readonly orUpdates: boolean }
  | { readonly kind: 'read'; readonly known: string | null; readonly mimeType: string | null }
  | { readonly kind: 'update'; readonly content: JsonObject; readonly expected: ExpectedRevision }
  | { readonly kind: 'delete'; readonly expected: ExpectedRevision }
  | { readonly kind: 'patch'; readonly operations: readonly PatchOperation[]; readonly expected: ExpectedRevision }
  | { readonly kind: 'action'; readonly action: string; readonly body: JsonValue }
  | { readonly kind: 'query'; readonly query: ResourceQuery }
  | { readonly kind: 'describe'; readonly format: '_api' | '_crestapi' };

/** Request of which the version is known. */
export interface OperationSource {
  readonly method: string;
  readonly parameters: Parameters;
  readonly header: HeaderValue;
  readonly body: Uint8Array;
  readonly protocol: ApiVersion;
}

/** Parameters that every operation takes. */
const COMMON: ReadonlySet<string> = new Set(['_fields', '_prettyPrint']);

/** Parameters that may be given more than once. */
const LISTS: ReadonlySet<string> = new Set(['_fields', '_sortKeys']);

/** Reads the operation that a request asks for. @throws CrestError */
export function readOperation(source: OperationSource): CrestOperation {
  const { parameters, header } = source;
  const method = source.method === 'POST' ? (header('x-http-method-override') ?? 'POST') : source.method;
  if (parameters.has('_api')) return { kind: 'describe', format: '_api' };
  switch (method) {
    case 'GET':
      return readGet(source);
    case 'POST':
      return readPost(source);
    case 'PUT':
      return readPut(source);
    case 'PATCH':
    case 'DELETE':
      refuseOtherMedia(header);
      refuseDates(header);
      refuse(header, method, 'If-None-Match');
      refuseUnknown(parameters);
      if (method === 'DELETE') return { kind: 'delete', expected: expectedRevision(header) };
      return {
        kind: 'patch',
        operations: readPatch(readBody(source.body, header)),
        expected: expectedRevision(header),
      };
    default:
      throw new CrestError(501, `the method ${method} is not supported`);
  }
}

function readGet({ parameters, header, protocol }: OperationSource): CrestOperation {
  if (parameters.has('_crestapi') && !isQuery(parameters)) return { kind: 'describe', format: '_crestapi' };
  refuseDates(header);
  refuse(header, 'GET', 'If-Match');
  if (isQuery(parameters)) {
    refuse(header, 'a query', 'If-None-Match');
    refuseUnknown(parameters, QUERY_PARAMETERS);
    return { kind: 'query', query: readQuery(parameters, protocol) };
  }
  refuseUnknown(parameters, new Set(['_mimeType']));
  return { kind: 'read', known: knownRevision(header), mimeType: parameters.single('_mimeType') };
}

function readPost({ parameters, header, body, protocol }: OperationSource): CrestOperation {
  const isPlainCreate = !parameters.has('_action') && isAtLeast(protocol, 2, 1);
  const action = isPlainCreate ? 'create' : readAction(parameters);
  refuseOtherMedia(header);
  refuseDates(header);
  refuse(header, 'POST', 'If-Match', 'If-None-Match');
  if (action.toLowerCase() !== 'create') return { kind: 'action', action, body: readOptionalBody(body) ?? null };
  refuseUnknown(parameters, new Set(['_action']));
  return { kind: 'create', content: readContent(body, header) };
}

function readAction(parameters: Parameters): string {
  if (!parameters.has('_action')) throw badRequest('_action is missing');
  return parameters.single('_action') ?? '';
}

function readPut({ parameters, header, body, protocol }: OperationSource): CrestOperation {
  const kind = putKind(header, protocol);
  refuseOtherMedia(header);
  refuseDates(header);
  refuseUnknown(parameters);
  const content = readContent(body, header);
  if (kind === 'update') return { kind, content, expected: expectedRevision(header) };
  return { kind: 'put', content, orUpdates: kind === 'upsert' };
}

/** Names that begin with an underscore are reserved. */
function refuseUnknown(parameters: Parameters, known: ReadonlySet<string> = new Set()): void {
  for (const name of parameters.names) {
    if (name.startsWith('_') && !COMMON.has(name) && !known.has(name)) {
      throw badRequest(`the parameter '${name}' is not known for this request`);
    }
    if (!LISTS.has(name)) parameters.single(name);
  }
}
