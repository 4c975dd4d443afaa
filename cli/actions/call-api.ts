import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { printable } from '../../contract/document/printable-text.ts';
import type { AdminRequest } from './admin-client.ts';

/** Operations of the command, by the names that people type. */
export const API_OPERATIONS = ['get', 'query', 'create', 'put', 'patch', 'delete', 'action'] as const;

export type ApiOperation = (typeof API_OPERATIONS)[number];

/** A call of an API of Common REST. */
export interface ApiCall {
  readonly operation: ApiOperation;
  /** Path below `/api`, or one that begins with a slash. */
  readonly path: string;
  readonly action: string | undefined;
  /** File with the body; `-` for the standard input. */
  readonly data: string | undefined;
  readonly ifMatch: string | undefined;
  readonly createOnly: boolean;
  readonly fields: string | undefined;
  readonly filter: string;
  readonly sort: string | undefined;
  readonly pageSize: number | undefined;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

const METHODS: Readonly<Record<ApiOperation, string>> = {
  get: 'GET',
  query: 'GET',
  create: 'POST',
  put: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  action: 'POST',
};

/** Returns the request for a call. @throws Error that says what is missing */
export function apiRequest(call: ApiCall, cookie: string | null = null): AdminRequest {
  const { operation, data, ifMatch, createOnly } = call;
  const needsBody = operation === 'create' || operation === 'put' || operation === 'patch';
  if (needsBody && data === undefined) throw new Error(`${operation} needs a document: --data FILE`);
  if (data !== undefined && !needsBody && operation !== 'action') throw new Error(`${operation} takes no --data`);
  if (createOnly && operation !== 'put') throw new Error('--create-only is for put');
  if (createOnly && ifMatch !== undefined) throw new Error('--create-only and --if-match exclude each other');
  const body = data === undefined ? undefined : readFileSync(data === '-' ? 0 : data, 'utf8');
  return {
    method: METHODS[operation],
    path: `${pathOf(call.path)}${searchOf(call, cookie)}`,
    headers: {
      accept: 'application/json',
      'accept-api-version': 'protocol=2.2',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch === '*' ? '*' : `"${ifMatch.replaceAll('"', '')}"` }),
      ...(createOnly ? { 'if-none-match': '*' } : {}),
    },
    ...(body === undefined ? {} : { body }),
  };
}

/** The steps of a path are encoded here, unless they are already. */
function pathOf(path: string): string {
  const given = path.split('/');
  if (given.some((step) => step === '.' || step === '..')) throw new Error("PATH must not have the steps '.' and '..'");
  const steps = given.map((step) => (/%[\da-f]{2}/i.test(step) ? step : encodeURIComponent(step)));
  return path.startsWith('/') ? steps.join('/') : `/api/${steps.join('/')}`;
}

function searchOf(call: ApiCall, cookie: string | null): string {
  const { operation, action, fields, filter, sort, pageSize } = call;
  const parameters = new URLSearchParams(call.parameters.map(([name, value]) => [name, value]));
  const set = (name: string, value: string | number | null | undefined): void => {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  };
  if (operation === 'action') {
    if (action === undefined) throw new Error('the name of the action is missing: gatewarden api action PATH ACTION');
    set('_action', action);
  } else if (action !== undefined) throw new Error(`unexpected argument '${action}'`);
  if (operation === 'create') set('_action', 'create');
  set('_fields', fields);
  if (operation === 'query') {
    set('_queryFilter', filter);
    set('_sortKeys', sort);
    set('_pageSize', pageSize);
    set('_pagedResultsCookie', cookie);
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns the cookie of the next page of a query; null on the last one. */
export function nextCookie(page: JsonValue): string | null {
  const cookie = isJsonObject(page) ? page['pagedResultsCookie'] : null;
  return typeof cookie === 'string' && cookie !== '' ? cookie : null;
}

/** Returns lines that say why a call failed: the message of the server, its cause, and the problems of a document. */
export function failureLines(status: number, text: string): string[] {
  return linesOf(status, text).map(printable);
}

function linesOf(status: number, text: string): string[] {
  const body = jsonIn(text);
  if (!isJsonObject(body)) {
    const said = [STATUS_CODES[status] ?? '', text.trim().slice(0, 500)].filter((one) => one !== '');
    return [`${status} ${said.join(': ')}`.trim()];
  }
  const { reason, message, cause, detail } = body;
  const said = [reason, message].filter((one) => typeof one === 'string').join(': ');
  const problems = isJsonObject(detail) && Array.isArray(detail['problems']) ? detail['problems'] : [];
  const lines = (problems as readonly JsonValue[]).filter(isJsonObject).map(problemLine);
  const isTold = lines.length > 0 || !isJsonObject(cause) || typeof cause['message'] !== 'string';
  return [`${status} ${said}`, ...(isTold ? lines : [`  ${String(cause['message'])}`])];
}

function problemLine({ severity, path, message, hint, code }: JsonObject): string {
  const place = typeof path === 'string' && path !== '' ? `${path}: ` : '';
  const advice = typeof hint === 'string' ? ` (${hint})` : '';
  return `  ${String(severity)}: ${place}${String(message)}${advice} [${String(code)}]`;
}

/** Returns a value as JSON for a terminal: characters that would steer it are escaped. */
export function jsonText(value: JsonValue): string {
  return JSON.stringify(value, null, 2).replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

function escaped(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Returns the JSON of a text; the text itself if it is none. */
export function jsonIn(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
