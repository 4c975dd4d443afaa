import type { Backend } from '../../engine/backend/backend.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { Refusal } from '../../engine/message/refusal.ts';
import type { ResponseStep } from '../../engine/message/reply.ts';
import type { Uri } from '../../engine/message/uri.ts';

/** One of several places that serve the same requests. */
export interface BackendEndpoint {
  /** Scheme, host and port of its requests. */
  readonly base: Uri;
  /** Name that TLS handshakes ask for and that its certificate must have. */
  readonly serverName: string;
  /** Index in lists of pools; free for another endpoint once this one has gone. */
  readonly slot: number;
  /** Pools of this unit that are open to it. Their load is its load. */
  readonly pools: Backend[];
  /**
   * It answered a request, with any status. Unless the answer is `isWhole`, `ended` or `broke` follows. Without `isJudged`
   * that is counted and has no consequences.
   */
  answered(status: number, isWhole: boolean, isJudged: boolean): void;
  /** The rest of an answer with this status came, or nobody wants it. */
  ended(status: number, isJudged: boolean): void;
  /** The rest of an answer with this status will not come. */
  broke(status: number, refusal: Refusal, isJudged: boolean): void;
  /** It did not answer a request. */
  refused(refusal: Refusal, isJudged: boolean): void;
  /** Another endpoint gets a request that no connection of it took. */
  moved(): void;
  /** A tunnel, such as a WebSocket, is open to it. The result ends it. */
  tunnelled(): () => void;
}

/** Handler that holds pools open to endpoints. */
export interface EndpointUser {
  /** The endpoint has gone: its pools close. */
  left(endpoint: BackendEndpoint): void;
}

/** Endpoints that requests are spread over. */
export interface Backends {
  /** Whether a tenant declared it. */
  readonly isOfTenant: boolean;
  /** Returns the endpoint for a request, with `isRetry` one that was not tried; null while none is known. */
  choose(exchange: Exchange, isRetry?: boolean): BackendEndpoint | null;
  /** Returns another endpoint for a request that no connection of this one took; null when enough were tried. */
  another(exchange: Exchange, failed: BackendEndpoint): BackendEndpoint | null;
  /** Whether `another` would return an endpoint. */
  hasAnother(exchange: Exchange): boolean;
  /** Waits until endpoints are known. @returns why there are none, or null */
  known(): Promise<string | null>;
  /** Adds the affinity cookie to a response that needs it; null without affinity. */
  readonly affinity: ResponseStep | null;
  /** Tells a handler of endpoints that go. The result ends it. */
  join(user: EndpointUser): () => void;
}
