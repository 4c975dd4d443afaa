import type { JsonObject, JsonValue } from '../document/json-value.ts';
import type { ApiVersion } from './api-version.ts';
import { type CrestError, errorBody } from './crest-error.ts';
import { selectFields } from './field-list.ts';
import type { JsonPointer } from './json-pointer.ts';
import { mediaField } from './media-field.ts';
import { PageText } from './pages/page-text.ts';
import type { Resource } from './resource.ts';
import type { QueryPage } from './resource-query.ts';
import type { CrestOutcome } from './run-operation.ts';

/** Answer for an HTTP server to send. */
export interface CrestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A long page of results is written when it is sent. */
  readonly body: string | Uint8Array | PageText;
}

/** Parts of a request that shape its answer. */
export interface AnswerShape {
  readonly protocol: ApiVersion;
  readonly fields: readonly JsonPointer[];
  readonly isPretty: boolean;
  /** Revision that the client has already. */
  readonly known: string | null;
  readonly mimeType: string | null;
  /** Returns the URL of a resource by its id. */
  locationOf(id: string): string;
}

const NO_CACHE = { 'cache-control': 'no-cache' };
const JSON_TYPE = { 'content-type': 'application/json;charset=UTF-8' };

export function outcomeAnswer(outcome: CrestOutcome, shape: AnswerShape): CrestAnswer {
  switch (outcome.kind) {
    case 'page':
      return pageAnswer(outcome.page, shape);
    case 'value':
      if (outcome.value === undefined) return { status: 204, headers: NO_CACHE, body: '' };
      return jsonAnswer(200, outcome.value, shape.isPretty);
    case 'created': {
      const { id } = outcome.resource;
      const location = id === null ? {} : { location: shape.locationOf(id) };
      return resourceAnswer(201, outcome.resource, shape, location);
    }
    case 'resource':
      return resourceAnswer(200, outcome.resource, shape);
  }
}

export function errorAnswer(error: CrestError, isPretty: boolean): CrestAnswer {
  return jsonAnswer(error.status, errorBody(error), isPretty, error.parts.headers);
}

export function jsonAnswer(
  status: number,
  body: JsonValue,
  isPretty: boolean,
  headers: Readonly<Record<string, string>> = {},
): CrestAnswer {
  const text = isPretty ? JSON.stringify(body, null, 2) : JSON.stringify(body);
  return { status, headers: { ...NO_CACHE, ...JSON_TYPE, ...headers }, body: text };
}

/** The caller chooses the media type, and others the content: a browser must not run it as a page of this server. */
const SANDBOX = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox" };

function resourceAnswer(
  status: number,
  resource: Resource,
  shape: AnswerShape,
  more: Readonly<Record<string, string>> = {},
): CrestAnswer {
  const { revision } = resource;
  if (revision !== null && revision === shape.known) return { status: 304, headers: {}, body: '' };
  const headers = revision === null ? more : { ...more, etag: `"${revision}"` };
  if (shape.mimeType !== null) {
    const { type, body } = mediaField(selectFields(resource.content, shape.fields), shape.fields, shape.mimeType);
    return { status, headers: { ...NO_CACHE, ...headers, ...SANDBOX, 'content-type': type }, body };
  }
  return jsonAnswer(status, resourceBody(resource, shape), shape.isPretty, headers);
}

/** Protocol 1 sends the content as it is; later ones send the id and the revision first. */
function resourceBody({ id, revision, content }: Resource, { protocol, fields }: AnswerShape): JsonObject {
  const selected = selectFields(content, fields);
  if (protocol.major < 2) return selected;
  const head = { ...(id === null ? {} : { _id: id }), ...(revision === null ? {} : { _rev: revision }) };
  return { ...head, ...selected, ...head };
}

/** Pages with more results are written piece by piece. */
const SHORT_PAGE = 50;

function pageAnswer(page: QueryPage, shape: AnswerShape): CrestAnswer {
  const { results, cookie, countPolicy, total, remaining, count } = page;
  const rest = {
    resultCount: count ?? results.length,
    pagedResultsCookie: cookie,
    totalPagedResultsPolicy: countPolicy,
    totalPagedResults: total,
    remainingPagedResults: remaining ?? -1,
  };
  const bodyOf = (at: number): JsonObject => resourceBody(results[at]!, shape);
  const text = new PageText(results, { bodyOf, rest, isPretty: shape.isPretty });
  const body = results.length > SHORT_PAGE ? text : text.toString();
  return { status: 200, headers: { ...NO_CACHE, ...JSON_TYPE }, body };
}
