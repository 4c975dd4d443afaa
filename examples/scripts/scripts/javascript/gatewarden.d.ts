/**
 * Variables and objects of scripts in JavaScript, for editors and the TypeScript compiler. Put this file beside your
 * scripts, with a jsconfig.json such as the one here. Arguments of a script are declared in a file of your own:
 * `declare const stock: Record<string, number>;`
 */

/** Value that has a JSON form. */
type JsonForm = ReturnType<typeof JSON.parse>;

/** Content of a message: text, bytes, a form, or another value, which is sent as JSON. */
type Content = string | Uint8Array | ArrayBuffer | URLSearchParams | JsonForm;

type HeaderInit = Iterable<readonly [name: string, value: string | readonly string[]]> | Record<string, string | readonly string[]>;

/** Header lines. Names are compared without case. */
declare class Headers {
  constructor(init?: HeaderInit | null);
  /** All lines of this name, joined with commas, or null. */
  get(name: string): string | null;
  /** One text for each line of this name. */
  getAll(name: string): string[];
  has(name: string): boolean;
  /** Replaces all lines of this name. Null removes them. */
  set(name: string, value: string | number | readonly string[] | null | undefined): void;
  /** Adds lines. */
  add(name: string, value: string | number | readonly string[]): void;
  append(name: string, value: string | number | readonly string[]): void;
  /** Returns true if there were lines of this name. */
  delete(name: string): boolean;
  entries(): IterableIterator<[name: string, value: string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  forEach(each: (value: string, name: string, headers: Headers) => void): void;
  [Symbol.iterator](): IterableIterator<[name: string, value: string]>;
  toJSON(): Record<string, string>;
}

/** Content of a message. It is read when a script asks for it, decoded. */
interface Entity {
  text(): Promise<string>;
  /** Null for empty content. */
  json(): Promise<JsonForm>;
  bytes(): Promise<Uint8Array>;
  form(): Promise<URLSearchParams>;
  set(value: Content | null | undefined): void;
}

/** Absolute URI. Parts without `raw` are decoded. */
declare class Uri {
  constructor(text: string | Uri);
  scheme: string;
  authority: string;
  host: string;
  /** -1 where the URI names none. */
  get port(): number;
  set port(value: number | string);
  path: string;
  rawPath: string;
  get query(): string | null;
  set query(value: string | null | undefined);
  get rawQuery(): string | null;
  set rawQuery(value: string | null | undefined);
  toString(): string;
  toJSON(): string;
}

/** Parameters of a query or a form. */
declare class URLSearchParams {
  constructor(init?: string | Iterable<readonly [name: string, value: string]> | Record<string, string> | null);
  /** First value of this name, or null. */
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string): boolean;
  set(name: string, value: string | number): void;
  append(name: string, value: string | number): void;
  delete(name: string): void;
  entries(): IterableIterator<[name: string, value: string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  forEach(each: (value: string, name: string, params: URLSearchParams) => void): void;
  readonly size: number;
  [Symbol.iterator](): IterableIterator<[name: string, value: string]>;
  toString(): string;
}

interface RequestInit {
  readonly headers?: HeaderInit;
  readonly body?: Content;
}

declare class Request {
  constructor(method: string, uri: string | Uri, init?: RequestInit);
  method: string;
  get uri(): Uri;
  set uri(value: string | Uri);
  readonly headers: Headers;
  get entity(): Entity;
  set entity(value: Content | null | undefined);
  /** Parameters of the URI; changes change the URI. */
  readonly queryParams: URLSearchParams;
  /** First value of each cookie. */
  readonly cookies: Readonly<Record<string, string | undefined>>;
}

interface ResponseInit {
  readonly headers?: HeaderInit;
  readonly reason?: string;
  readonly body?: Content;
}

declare class Response {
  constructor(status?: number, init?: ResponseInit);
  /** Setting it takes the reason phrase away. */
  status: number;
  reason: string;
  /** True for 200 to 299. */
  readonly ok: boolean;
  readonly headers: Headers;
  get entity(): Entity;
  set entity(value: Content | null | undefined);
}

/** Sends requests through a handler: `http`, or a handler of the heap in `args`. */
interface Http {
  send(request: Request): Promise<Response>;
  send(uri: string | Uri, init?: RequestInit & { readonly method?: string }): Promise<Response>;
}

/** Writes to the program log. Objects are written as JSON. */
interface Logger {
  trace(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}

/** Clock of the heap in `args`. */
interface Clock {
  /** Milliseconds since 1970. */
  millis(): number;
  instant(): Date;
}

/** Audit service of the heap in `args`. */
interface AuditService {
  /** Publishes an event of a custom topic. Rejects with the reason if the service does not accept it. */
  publish(topic: string, event: Record<string, JsonForm>): Promise<void>;
}

/** Contexts of the request by name: copies, as plain objects. */
interface Contexts {
  readonly root: { readonly id: string };
  readonly client: {
    readonly remoteAddress: string;
    readonly remotePort: number;
    readonly localAddress: string;
    readonly localPort: number;
    readonly remoteUser: string | null;
    readonly userAgent: string | null;
    readonly certificates: readonly JsonForm[];
    readonly secure: boolean;
    readonly external: boolean;
  };
  readonly transactionId: { readonly transactionId: { readonly value: string } };
  readonly router: {
    readonly originalUri: string;
    readonly baseUri: string;
    readonly matchedUri: string;
    readonly remainingUri: string;
    readonly uriTemplateVariables: Readonly<Record<string, string>>;
  };
  readonly attributes: { readonly attributes: Record<string, JsonForm> };
  readonly session: { readonly session: Record<string, JsonForm> };
  /** Contexts of filters, such as `oauth2`. */
  readonly [name: string]: JsonForm;
}

/** Result of a ScriptableThrottlingPolicy; null does not limit the request. */
interface ThrottlingRate {
  readonly requests: number;
  /** Such as `1 minute`. */
  readonly duration: string;
}

/** Result of a ScriptableAccessTokenResolver; null rejects the token. */
interface AccessTokenInfo {
  readonly token: string;
  readonly info: Record<string, JsonForm>;
  readonly scopes?: readonly string[];
  /** Milliseconds since 1970; without it the token does not expire. */
  readonly expiresAt?: number | null;
}

/** The request. Access token resolvers have none. Changes that filters make are passed on. */
declare const request: Request;
/** Passes the request, or another one, to the rest of the chain. Filters only. */
declare function next(request?: Request): Promise<Response>;
/** Context `router`. */
declare const context: Contexts['router'];
declare const contexts: Contexts;
/** Attributes of the request, shared with expressions and other scripts. */
declare const attributes: Record<string, JsonForm>;
/** Values of the session. */
declare const session: Record<string, JsonForm>;
/** Values that the requests of one object share, in one unit of one data plane. */
declare const globals: Record<string, JsonForm>;
declare const http: Http;
declare const logger: Logger;
/** Access token. Access token resolvers only. */
declare const token: string;
/** Claims of the JWT. JWT customizers only, which return an array of violations. */
declare const claims: Record<string, JsonForm>;

type DigestName = 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512' | 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512';
type DigestForm = 'hex' | 'base64' | 'base64url';

declare const crypto: {
  digest(name: DigestName, value: string | Uint8Array, form?: DigestForm): string;
  hmac(name: DigestName, key: string | Uint8Array, value: string | Uint8Array, form?: DigestForm): string;
  randomUUID(): string;
};
declare const base64: {
  encode(value: string | Uint8Array): string;
  encodeUrl(value: string | Uint8Array): string;
  decode(text: string): Uint8Array;
  decodeText(text: string): string;
};
declare const utf8: {
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): string;
};
/** Environment and system properties, for scripts of operators; null for tenants. */
declare const environment: {
  get(name: string): string | null;
  property(name: string): string | null;
};
