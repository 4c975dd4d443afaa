import type { IncomingHttpHeaders } from 'node:http';

/** A request as it arrived at the access manager. */
export interface AmCall {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Path below the access manager without the realm: `/json/policies` for both shapes of URLs. */
  readonly path: string;
  /** `/` or `/customers`; null where there is no such realm. */
  readonly realm: string | null;
  readonly query: URLSearchParams;
}

/** An answer in place of the usual one. */
export interface AmAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Objects are sent as JSON, strings as they are. */
  readonly body?: object | string;
}

/** An error as the access manager words it: with its messages escaped for HTML. */
export function amError(code: number, message: string): AmAnswer {
  return { status: code, body: { code, reason: REASONS[code] ?? 'Error', message: escaped(message) } };
}

/** Value of a member of `Accept-API-Version`, such as `2.0` for `resource`; null without one. */
export function apiVersion({ headers }: AmCall, member: 'protocol' | 'resource'): string | null {
  const field = headers['accept-api-version'];
  const match = new RegExp(`${member}\\s*=\\s*([0-9.]+)`).exec(typeof field === 'string' ? field : '');
  return match?.[1] ?? null;
}

/** The cookie of a request with this name; null without one. */
export function cookieOf({ headers }: AmCall, name: string): string | null {
  for (const pair of (headers.cookie ?? '').split(/;\s*/)) {
    if (pair.startsWith(`${name}=`)) return decodeURIComponent(pair.slice(name.length + 1));
  }
  return null;
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
