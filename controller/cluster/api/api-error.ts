import { errorCode } from '../../../platform/error-code.ts';

/** Most characters of what a server says that are passed on, and that a person who asked for it sees. */
const MOST_TEXT = 500;
const MOST_DETAIL = 16_384;

export interface ApiErrorFacts {
  /** The status of the answer; 0 when there was none. */
  readonly status: number;
  /** The word that the API server has for it, such as `Conflict`; ours where it gave none or did not answer. */
  readonly reason: string;
  /** How long the server asks to be left alone, in milliseconds; null when it does not say. */
  readonly retryAfter?: number | null;
  /** The server's own words, longer than in the message; empty when it gave none. */
  readonly detail?: string;
}

/** Why a call to the API server failed. The message is for people and holds no credential and nothing that was sent. */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly retryAfter: number | null;
  /** For the person whose request it was. Logs have the message, which is shorter. */
  readonly detail: string;

  constructor(message: string, { status, reason, retryAfter = null, detail = '' }: ApiErrorFacts) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.reason = reason;
    this.retryAfter = retryAfter;
    this.detail = detail;
  }
}

/** Error for a response that is not a success. @param content the JSON of the response; undefined for none */
export function errorOfAnswer(status: number, content: unknown, retryAfter: string | null): ApiError {
  const said = statusObject(content);
  const message =
    said.message === ''
      ? `the API server answered ${status}${hintOf(status)}`
      : `${status}: ${said.message.slice(0, MOST_TEXT)}`;
  return new ApiError(message, {
    status,
    reason: said.reason === '' ? reasonOfStatus(status) : said.reason,
    retryAfter: milliseconds(retryAfter) ?? said.retryAfter,
    detail: said.message,
  });
}

/** An object that is not there is told in words; what has none is a path that the server does not have. */
function hintOf(status: number): string {
  return status === 404 ? ': it does not know this kind; are the CustomResourceDefinitions installed?' : '';
}

/** Error for an event of type ERROR in a watch. */
export function errorOfEvent(content: unknown): ApiError {
  const { code, reason, message, retryAfter } = statusObject(content);
  const text = message === '' ? 'the API server ended the watch with an error' : message.slice(0, MOST_TEXT);
  return new ApiError(text, { status: code, reason: reason === '' ? reasonOfStatus(code) : reason, retryAfter });
}

/** Error for a missing or incomplete response. */
export function errorOfWire(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const code = codeOf(error);
  const isLate = code === 'TimeoutError' || /TIMEOUT|ETIMEDOUT/.test(code);
  const reason = isLate ? 'Timeout' : 'Unreachable';
  return new ApiError(`the API server did not answer: ${code}`, { status: 0, reason });
}

/** Error for credentials that cannot be read. */
export function errorOfCredentials(error: unknown): ApiError {
  return new ApiError(`the credentials cannot be read: ${codeOf(error)}`, { status: 0, reason: 'NoCredentials' });
}

interface StatusObject {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfter: number | null;
}

/** The fields of a `Status` that matter here, each only if it is what it should be. */
function statusObject(content: unknown): StatusObject {
  const code = member(content, 'code');
  const reason = member(content, 'reason');
  const message = member(content, 'message');
  const seconds = member(member(content, 'details'), 'retryAfterSeconds');
  return {
    code: typeof code === 'number' ? code : 0,
    reason: typeof reason === 'string' && /^\w{1,60}$/.test(reason) ? reason : '',
    message: typeof message === 'string' ? message.slice(0, MOST_DETAIL) : '',
    retryAfter: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : null,
  };
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function reasonOfStatus(status: number): string {
  const known: Record<number, string> = {
    400: 'BadRequest',
    401: 'Unauthorized',
    403: 'Forbidden',
    404: 'NotFound',
    409: 'Conflict',
    410: 'Expired',
    422: 'Invalid',
    429: 'TooManyRequests',
    500: 'InternalError',
    503: 'ServiceUnavailable',
    504: 'Timeout',
  };
  return known[status] ?? `Status${status}`;
}

function milliseconds(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const date = Date.parse(retryAfter);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

/** A word for a failure of the system or of the transport; its own message may quote what was sent or received. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  for (const one of [error, cause]) {
    if (one instanceof AggregateError && one.errors[0] instanceof Error) return codeOf(one.errors[0]);
    const code = errorCode(one);
    if (code !== null) return code;
  }
  return error.name;
}
