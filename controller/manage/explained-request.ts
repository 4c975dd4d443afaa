import { badRequest } from '../../contract/crest/crest-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { CompiledRoute, Snapshot } from '../compile/snapshot.ts';

/** A request that somebody asks about instead of sending it. */
export interface AskedRequest {
  readonly method: string;
  /** Absolute, or a path. */
  readonly uri: string;
  /** Header lines, such as `Name: value`. */
  readonly headers: readonly string[];
  /** A text as it is, anything else as JSON; absent for no body. */
  readonly entity?: JsonValue;
  /** True if it also passes the filters of a data plane, without being sent to a backend; absent for false. */
  readonly dryRun?: true;
}

/** Limits of an explanation for a caller who may not see everything. */
export interface ExplainTerms {
  /** Returns which routes the caller may see. @param candidates routes that get requests for the host */
  shown(candidates: readonly CompiledRoute[]): Promise<(route: CompiledRoute) => boolean>;
  /** Runs a part of the work when its turn comes. */
  inTurn<T>(run: () => T): Promise<T>;
  /** Most routes of a router that are shown: the last ones before the route that takes the request, and that route. */
  readonly mostTried: number;
}

/** Explains which route of a snapshot takes a request, and why no other one does. @param terms absent for no limits */
export type ExplainRequest = (snapshot: Snapshot, request: AskedRequest, terms?: ExplainTerms) => Promise<JsonObject>;

const MEMBERS = ['method', 'uri', 'headers', 'entity', 'dryRun'];
/** Most header lines that a listener can be set to accept. */
const MOST_LINES = 1000;
/** Characters of the method, the URI and the header lines: expressions read all of them in one turn of the thread. */
const LONGEST_HEAD = 131_072;
const METHOD = /^[!#$%&'*+.^_`|~\w-]+$/;
const LINE = /^[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*$/;

/** Schema of the body of the action. */
export const ASKED_REQUEST: JsonObject = {
  type: 'object',
  required: ['uri'],
  properties: {
    method: { type: 'string', default: 'GET' },
    uri: { type: 'string', description: 'Absolute URI, or a path.' },
    headers: {
      type: 'object',
      description: 'Values by name.',
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    },
    entity: { description: 'Body of the request: a text, or JSON.' },
    dryRun: {
      type: 'boolean',
      default: false,
      description: 'Passes the request through the filters of the data plane, without sending it to a backend.',
    },
  },
  additionalProperties: false,
};

/** Reads the body of the action `explain`. @param others members that somebody else reads @throws CrestError */
export function readAskedRequest(body: JsonValue, others: readonly string[] = []): AskedRequest {
  if (!isJsonObject(body)) throw badRequest("the body must be a JSON object with the 'uri' of a request");
  const members = [...MEMBERS, ...others];
  for (const name of Object.keys(body)) {
    if (!members.includes(name)) throw badRequest(`a request has no '${name}': it has ${members.join(', ')}`);
  }
  const { method = 'GET', uri, headers = {}, entity, dryRun = false } = body;
  if (typeof method !== 'string' || !METHOD.test(method)) throw badRequest("'method' must be the name of a method");
  if (typeof uri !== 'string' || !isUri(uri)) throw badRequest("'uri' must be an http or https URI, or a path");
  if (!isJsonObject(headers)) throw badRequest("'headers' must be an object of values by name");
  if (typeof dryRun !== 'boolean') throw badRequest("'dryRun' must be true or false");
  const lines = Object.entries(headers).flatMap(linesOf);
  if (lines.length > MOST_LINES) throw badRequest(`'headers' must have at most ${MOST_LINES} lines`);
  const length = lines.reduce((sum, line) => sum + line.length, method.length + uri.length);
  if (length > LONGEST_HEAD) {
    throw badRequest(`'method', 'uri' and 'headers' must have at most ${LONGEST_HEAD} characters together`);
  }
  return {
    method,
    uri,
    headers: lines,
    ...(entity === undefined ? {} : { entity }),
    ...(dryRun && { dryRun }),
  };
}

/** A path gets its host from the header, as in a request that a client sends. */
export function withHost(request: AskedRequest): AskedRequest {
  const [host, ...more] = request.headers.filter((line) => /^host:/i.test(line)).map((line) => line.slice(5).trim());
  if (host === undefined || more.length > 0 || !request.uri.startsWith('/')) return request;
  return { ...request, uri: `http://${host}${request.uri}` };
}

function isUri(text: string): boolean {
  return !/[\s\p{Cc}]/u.test(text) && (text.startsWith('/') || (/^https?:\/\//i.test(text) && URL.canParse(text)));
}

function linesOf([name, value]: [string, JsonValue]): string[] {
  const values = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  return values.map((one) => {
    const line = `${name}: ${String(one)}`;
    if (typeof one !== 'string' || !LINE.test(line)) throw badRequest(`the header '${name}' must be a text`);
    return line;
  });
}
