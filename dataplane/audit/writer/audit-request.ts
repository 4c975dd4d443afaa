import type { JsonObject } from '../../../contract/document/json-value.ts';
import { errorText } from '../../../platform/error-text.ts';
import {
  type AuditQueries,
  type AuditQuery,
  type AuditQueryPage,
  QueryRefusal,
} from '../handlers/queries/audit-queries.ts';

/** A question to an audit service, as plain data. */
export type AuditRequest =
  | { readonly kind: 'query'; readonly query: AuditQuery }
  | { readonly kind: 'read'; readonly topic: string; readonly id: string };

/** The answer, as plain data. */
export type AuditAnswer =
  | { readonly kind: 'page'; readonly page: AuditQueryPage }
  /** Null for an event that is not there. */
  | { readonly kind: 'event'; readonly event: JsonObject | null }
  | { readonly kind: 'refused'; readonly status: QueryRefusal['status']; readonly message: string };

/** A request that cannot be answered. */
export function refusedRequest(status: QueryRefusal['status'], message: string): AuditAnswer {
  return { kind: 'refused', status, message };
}

/** Answers a request. Never rejects. */
export async function answered(queries: AuditQueries, request: AuditRequest): Promise<AuditAnswer> {
  try {
    if (request.kind === 'query') return { kind: 'page', page: await queries.query(request.query) };
    return { kind: 'event', event: await queries.read(request.topic, request.id) };
  } catch (error) {
    if (error instanceof QueryRefusal) return refusedRequest(error.status, error.message);
    return refusedRequest(503, `the query failed: ${errorText(error)}`);
  }
}
