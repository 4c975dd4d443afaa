import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { type AccessOptions, ApiAccess, type Credentials } from './api-access.ts';
import { ApiError, errorOfAnswer, errorOfCredentials, errorOfWire } from './api-error.ts';

/** How long a call may take, in milliseconds; of a stream, until it begins. */
const TIMEOUT = 30_000;
/** Most bytes of an answer that is taken whole. */
const MOST_BYTES = 32 * 1024 * 1024;

/** An object of the cluster, or a list, as JSON. */
export type ApiContent = unknown;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the root of the API, such as `resourcePath` gives it. */
  readonly path: string;
  /** What is undefined is left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: ApiContent;
  /** By default `application/json`. */
  readonly contentType?: string;
  /** How the answer is to be given; by default `application/json`. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** In milliseconds. */
  readonly timeout?: number;
  /** Most bytes of the answer. */
  readonly limit?: number;
}

export interface ApiAnswer {
  readonly status: number;
  /** Undefined when there was none. */
  readonly body: ApiContent;
}

/** An answer that goes on, such as a watch. Whoever got it reads it to its end or destroys it. */
export type ApiStream = Readable;

/** The two ways to ask an API server. All of them reject with `ApiError` and with nothing else. */
export interface ApiCaller {
  /** Asks, and takes the whole answer. @throws ApiError also for every status that is no success */
  call(request: ApiRequest): Promise<ApiAnswer>;
  /** Asks for an answer that goes on. @throws ApiError when it does not begin, or begins with anything but 200 */
  open(request: ApiRequest): Promise<ApiStream>;
}

/** Asks an API server in the name of somebody else, with their own token, which is neither kept nor logged. */
export interface ApiOnBehalf {
  /** @throws ApiError also for every status that is no success */
  callAs(token: string, request: ApiRequest): Promise<ApiAnswer>;
}

/**
 * The API server of the cluster, over connections that are kept. Every call is authenticated with what is valid at that
 * moment; on 401 the credential is read anew and, if it is another one, the call is made once more.
 */
export class ClusterApi implements ApiCaller, ApiOnBehalf {
  private readonly access: ApiAccess;
  private answered = performance.now();

  /** @throws Error when there is no usable configuration */
  constructor(options: AccessOptions) {
    this.access = new ApiAccess(options);
  }

  /** Where the API server is, for messages. */
  get server(): string {
    return this.access.server;
  }

  /** The namespace that the configuration names: in a cluster that of the Pod; null when it names none. */
  get namespace(): string | null {
    return this.access.namespace;
  }

  /**
   * When it was heard last, in milliseconds of the steady clock. An answer that says no is one; a failure of it is none, and
   * neither is that it does not know who asks.
   */
  get answeredAt(): number {
    return this.answered;
  }

  async get(path: string, signal?: AbortSignal): Promise<ApiContent> {
    return (await this.call({ method: 'GET', path, ...(signal && { signal }) })).body;
  }

  /** @param path of the list to create it in */
  async create(path: string, body: ApiContent): Promise<ApiContent> {
    return (await this.call({ method: 'POST', path, body })).body;
  }

  /** Replaces an object; with a resourceVersion in it only that version, or it is a `Conflict`. */
  async replace(path: string, body: ApiContent): Promise<ApiContent> {
    return (await this.call({ method: 'PUT', path, body })).body;
  }

  /** Server-side apply. What another manager of fields holds is taken from it when `force` is set. */
  async apply(path: string, body: ApiContent, fieldManager: string, force = true): Promise<ApiContent> {
    const contentType = 'application/apply-patch+yaml';
    return (await this.call({ method: 'PATCH', path, query: { fieldManager, force }, body, contentType })).body;
  }

  async delete(path: string): Promise<ApiContent> {
    return (await this.call({ method: 'DELETE', path })).body;
  }

  async call(request: ApiRequest): Promise<ApiAnswer> {
    const timeout = AbortSignal.timeout(request.timeout ?? TIMEOUT);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([request.signal, timeout]);
    try {
      const { statusCode, body } = await this.send(request, signal);
      return { status: statusCode, body: await contentOf(body, request.limit ?? MOST_BYTES) };
    } catch (error) {
      throw errorOfWire(error);
    }
  }

  async callAs(token: string, request: ApiRequest): Promise<ApiAnswer> {
    const signal = AbortSignal.timeout(request.timeout ?? TIMEOUT);
    try {
      const bare = await this.access.bare().catch(failCredentials);
      const answer = await attempt(request, { ...bare, headers: { authorization: `Bearer ${token}` } }, signal);
      if (answer.statusCode >= 300) throw await failureOf(answer);
      return { status: answer.statusCode, body: await contentOf(answer.body, request.limit ?? MOST_BYTES) };
    } catch (error) {
      throw errorOfWire(error);
    }
  }

  async open(request: ApiRequest): Promise<ApiStream> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new DOMException('', 'TimeoutError')), request.timeout ?? TIMEOUT);
    const signal = request.signal === undefined ? late.signal : AbortSignal.any([request.signal, late.signal]);
    try {
      const { statusCode, body } = await this.send(request, signal);
      if (statusCode === 200) return body;
      body.on('error', () => {}).destroy();
      throw new ApiError(`the API server answered ${statusCode}`, {
        status: statusCode,
        reason: `Status${statusCode}`,
      });
    } catch (error) {
      throw errorOfWire(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends every call that is under way. */
  async close(): Promise<void> {
    await this.access.close();
  }

  private async send(request: ApiRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const credentials = await this.access.credentials().catch(failCredentials);
    const answer = await attempt(request, credentials, signal);
    this.heard(answer);
    if (answer.statusCode < 300) return answer;
    const error = await failureOf(answer);
    if (error.status !== 401) throw error;
    const fresh = await this.access.renewed(credentials).catch(failCredentials);
    if (fresh === null) throw error;
    const second = await attempt(request, fresh, signal);
    this.heard(second);
    if (second.statusCode < 300) return second;
    throw await failureOf(second);
  }

  private heard({ statusCode }: Dispatcher.ResponseData): void {
    if (statusCode < 500 && statusCode !== 401) this.answered = performance.now();
  }
}

function failCredentials(error: unknown): never {
  throw errorOfCredentials(error);
}

function attempt(
  { method, path, query, body, contentType, accept = 'application/json' }: ApiRequest,
  { dispatcher, origin, prefix, headers }: Omit<Credentials, 'mark'>,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  return dispatcher.request({
    origin,
    path: `${prefix}${path}${queryText(query)}`,
    method,
    headers: {
      ...headers,
      accept,
      'user-agent': 'gatewarden',
      ...(body !== undefined && { 'content-type': contentType ?? 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal,
    headersTimeout: 0, // the signal tells the time
    bodyTimeout: 0,
  });
}

function queryText(query: ApiRequest['query']): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) words.append(name, String(value));
  return words.size === 0 ? '' : `?${words}`;
}

async function failureOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<ApiError> {
  const retryAfter = headers['retry-after'];
  const content = await contentOf(body, 1 << 20).catch(() => undefined);
  return errorOfAnswer(statusCode, content, typeof retryAfter === 'string' ? retryAfter : null);
}

/** The JSON of an answer. What is wrong with it is not quoted: it may hold secrets. */
async function contentOf(body: ApiStream, limit: number): Promise<ApiContent> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > limit) {
      throw new ApiError(`the response is longer than ${limit} bytes`, { status: 0, reason: 'TooLong' });
    }
    pieces.push(piece);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(pieces, size).toString('utf8'));
  } catch {
    throw new ApiError('the response is not JSON', { status: 0, reason: 'Malformed' });
  }
}
