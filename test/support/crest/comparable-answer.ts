import type { CrestAnswer } from '../../../contract/crest/crest-answer.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { percentDecoded } from '../../../contract/percent-decoded.ts';
import type { ObservedRequest, ObservedResponse } from './crest-rows.ts';

/** Headers that Common REST is about. */
const HEADERS = ['allow', 'cache-control', 'content-type', 'etag', 'location'];

/** Returns an answer of ours without the parts that may differ: messages, cookies, ids of the server, order. */
export function comparableAnswer({ status, headers, body }: CrestAnswer, request: ObservedRequest): JsonObject {
  const text = body instanceof Uint8Array ? Buffer.from(body).toString() : String(body);
  return comparable(status, headers, request.method === 'HEAD' ? '' : text, request);
}

/** Returns an observed answer in the same form, as our specification changes it. */
export function comparableObserved(response: ObservedResponse, request: ObservedRequest): JsonObject {
  const text = response.body ?? Buffer.from(response.bodyBase64 ?? '', 'base64').toString();
  const renamed = text.startsWith('{"result":[') ? text.replace('{"result":[', '{"results":[') : text;
  return comparable(response.status, response.headers, renamed, request);
}

/** Returns the page cookie in a body; null if it has none. */
export function cookieIn(body: string | undefined): string | null {
  return /"pagedResultsCookie":"([^"]+)"/.exec(body ?? '')?.[1] ?? null;
}

function comparable(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
  request: ObservedRequest,
): JsonObject {
  const kept: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (HEADERS.includes(name.toLowerCase())) kept[name.toLowerCase()] = value;
  }
  const hasServerId = request.method === 'POST' && status === 201;
  if (typeof kept['location'] === 'string') kept['location'] = plainLocation(kept['location'], hasServerId);
  if ('allow' in kept) kept['allow'] = 'methods';
  const value = jsonIn(body);
  return { status, headers: kept, body: isJsonObject(value) ? comparableBody(value, request, hasServerId) : value };
}

function comparableBody(value: JsonObject, { path }: ObservedRequest, hasServerId: boolean): JsonObject {
  if (typeof value['code'] === 'number' && typeof value['reason'] === 'string') {
    const { message, detail, ...rest } = value;
    return typeof detail === 'string' || detail === undefined ? rest : { ...rest, detail };
  }
  if (Array.isArray(value['results'])) {
    const results = value['results'] as readonly JsonObject[];
    const isSorted = /[?&]_sortKeys=/i.test(path);
    const inOrder = isSorted ? results : results.toSorted((a, b) => (String(a['_id']) < String(b['_id']) ? -1 : 1));
    const cookie = value['pagedResultsCookie'] === null ? null : 'a cookie';
    return { ...value, results: inOrder, pagedResultsCookie: cookie };
  }
  return hasServerId ? { ...value, _id: 'an id' } : value;
}

/** Percent-encoding and the default port do not count. */
function plainLocation(location: string, hasServerId: boolean): string {
  const plain = percentDecoded(location).replace(/^http:\/\/gw\.test:80\//, 'http://gw.test/');
  return hasServerId ? plain.replace(/[^/]+$/, 'an id') : plain;
}

function jsonIn(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
