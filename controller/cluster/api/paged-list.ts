import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import type { ApiCaller } from './api-client.ts';
import { ApiError } from './api-error.ts';

/** Objects in a page. */
const PAGE = 500;
/** How often a list is begun again because it took longer than the server keeps its pages. */
const MOST_RESTARTS = 2;
/** Most bytes of a list in one piece. */
const MOST_BYTES = 256 * 1024 * 1024;

export interface ListRequest {
  readonly api: ApiCaller;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly page?: number;
  /** Most bytes of a page: a larger one is asked for in smaller pages. */
  readonly limit?: number;
  /** The list begins, perhaps again: what was taken of it so far does not count. */
  begin(): void;
  take(items: readonly JsonValue[]): void;
}

/**
 * Lists objects in pages, all as they were at one moment. A list that takes too long is begun again, and in the end asked
 * for in one piece, so that it always comes to an end.
 * @returns the version of that moment
 */
export async function pagedList(request: ListRequest): Promise<string> {
  let page = request.page ?? PAGE;
  for (let restarts = 0; ; ) {
    try {
      return await listOnce(request, restarts < MOST_RESTARTS ? page : null);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.reason === 'TooLong' && page > 1 && restarts < MOST_RESTARTS) page = Math.ceil(page / 8);
      else if (error.status === 410 && restarts < MOST_RESTARTS) restarts++;
      else throw error;
    }
  }
}

/** @param page null for all in one piece */
async function listOnce({ api, path, query, signal, limit, begin, take }: ListRequest, page: number | null) {
  begin();
  let next: string | null = null;
  for (;;) {
    const words: Record<string, string> = { ...query };
    if (page !== null) words['limit'] = String(page);
    if (next !== null) words['continue'] = next;
    const { body } = await api.call({
      method: 'GET',
      path,
      query: words,
      signal,
      ...(limit !== undefined && page !== null && { limit }),
      ...(page === null && { limit: MOST_BYTES }),
    });
    const { items, resourceVersion, more } = pageOf(body as JsonValue | undefined);
    take(items);
    if (more === null) return resourceVersion;
    next = more;
  }
}

interface Page {
  readonly items: readonly JsonValue[];
  readonly resourceVersion: string;
  readonly more: string | null;
}

function pageOf(body: JsonValue | undefined): Page {
  const metadata: JsonObject = isJsonObject(body) && isJsonObject(body['metadata']) ? body['metadata'] : {};
  const { resourceVersion, continue: more } = metadata;
  const items = isJsonObject(body) ? (body['items'] ?? []) : null; // a server may write null for none
  if (!isJsonArray(items) || typeof resourceVersion !== 'string' || resourceVersion === '') {
    throw new ApiError('the response is not a list', { status: 0, reason: 'Malformed' });
  }
  return { items, resourceVersion, more: typeof more === 'string' && more !== '' ? more : null };
}

function isJsonArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
