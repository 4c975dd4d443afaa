import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';

/** One look at OpenIG: what it was configured with, what it was asked, what it answered. */
export interface ObservedRow {
  readonly id: number;
  readonly area: string;
  /** A route, a part of one, or a remark of the observer. */
  readonly config: JsonValue;
  readonly request: ObservedRequest;
  readonly response: ObservedResponse;
  readonly note: string;
}

export interface ObservedRequest {
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  /** Whole header lines. */
  readonly headers?: readonly string[];
  /** A list where there was none. */
  readonly body?: string | readonly never[];
}

export interface ObservedResponse {
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** Of the row that lists names of types. */
  readonly known?: readonly string[];
  readonly unknown?: readonly string[];
}

/** The rows of test/vectors/openig-observed.jsonl. */
export function observedRows(): ObservedRow[] {
  const text = readFileSync(new URL('../../vectors/openig-observed.jsonl', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ObservedRow);
}

/** Where `app.test` was: in front of everything, as the observer's `config.json` had it. */
export const observedBase: JsonObject = {
  handler: '_router',
  baseURI: 'http://app.test',
  heap: [{ name: '_router', type: 'Router', config: { scanInterval: 'disabled' } }],
};

/** Whether the row is about a route that was loaded or refused, and not about a request to it. */
export function isAboutLoading({ area, request, response }: ObservedRow): boolean {
  if (area === 'types' || area === 'durations') return true;
  return request.method === 'PUT' ? request.path?.includes('/routes/t') === true : isRefusedAtLoad(response);
}

function isRefusedAtLoad({ body }: ObservedResponse): boolean {
  return body?.includes('An error occurred while trying to create route') === true;
}

/** The route that a row was observed with. @throws when the row does not hold it. */
export function observedRoute({ id, area, config }: ObservedRow): JsonObject {
  if (!isJsonObject(config)) throw new Error(`row ${id} does not hold the route it is about`);
  const answer = { type: 'StaticResponseHandler', config: { status: 200, entity: 'x' } };
  if (area === 'types') return { condition: '${false}', heap: [config], handler: answer };
  if (area === 'durations') return { condition: '${false}', handler: config };
  if (area === 'expressions') {
    return {
      condition: "${matches(request.uri.path,'^/t')}",
      handler: { type: 'StaticResponseHandler', config: { status: 200, ...config } },
    };
  }
  return config;
}
