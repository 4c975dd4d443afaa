import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import type { Exchange, Identity, Next } from '../../engine/message/exchange.ts';

/** An access manager, and the agent as which the gateway calls it. */
export interface AmService {
  /** Its base URL without a slash at the end, such as `https://am.example.com/openam`. */
  readonly url: string;
  /** Begins with a slash; `/` is the root realm. */
  readonly realm: string;
  /** Names the declaration: equal for equal services of one tenant, and part of names of shared memory. */
  readonly identity: string;
  /** Name of the agent, which is its client id for OAuth 2.0. */
  readonly agentName: string;
  /** Sends requests to the access manager that need no agent. */
  readonly handler: Next;
  /** Returns the address of an OAuth 2.0 endpoint: `introspect` gives `<url>/oauth2/realms/root/introspect`. */
  oauth2Endpoint(name: string, realm?: string): string;
  /**
   * Returns an address below `/json` in a realm, by default that of the service: `policies` gives
   * `<url>/json/realms/root/policies`. It can be kept: `call` writes it in the form that the version understands.
   */
  jsonEndpoint(path: string, realm?: string): string;
  /**
   * Sends a request as the agent, with its token, Accept-API-Version and JSON. Logs in first where needed, one log-in for
   * all units. A 401 leads to one new log-in and one repeat. Rejects with AgentLoginFailed where the agent has no token,
   * with ParentGone where the client disconnected while the agent logged in, and where the access manager cannot be
   * reached.
   */
  call(request: AmRequest, parent: Exchange | null): Promise<OwnAnswer>;
  /** Returns the name of the SSO cookie, which is also the header for tokens: `ssoTokenHeader`, else asked once. */
  cookieName(parent: Exchange | null): string | Promise<string>;
  /** Returns the discovered version, else the configured one, else 6. */
  version(parent: Exchange | null): AmVersion | Promise<AmVersion>;
  /** Null where notifications are disabled. */
  readonly notifications: Notifications | null;
  readonly sessions: AmSessions;
}

/** Version of an access manager. OpenAM counts up to 16 and AM up to 8: compare only with that in mind. */
export interface AmVersion {
  /** Such as `7.5.1`. */
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

/** A request to an access manager. */
export interface AmRequest {
  readonly method: string;
  /** Absolute, from `jsonEndpoint`. */
  readonly uri: string;
  /** Version of the resource in `Accept-API-Version`, such as `2.0`. */
  readonly resourceVersion: string;
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  /** False: sent without the agent's token. By default true. */
  readonly asAgent?: boolean;
}

/** Source of events about revoked sessions and tokens, and about changed policies. */
export interface Notifications {
  /** Whether events arrive now, for all units; false before the first connection and while it is lost. */
  readonly isHeard: boolean;
  /**
   * Passes everything that arrived since the last call to the listeners of this unit, in order. Costs one atomic load
   * when nothing did. Every cache calls it before it answers from its entries, and before it adds one.
   */
  catchUp(): void;
  /** The result ends it. */
  watch(listener: NotificationListener): () => void;
}

/** Listener for events. An event whose identifiers are all null may concern everything: caches must be cleared. */
export interface NotificationListener {
  session?(event: SessionEvent): void;
  policy?(event: PolicyEvent): void;
  token?(event: TokenEvent): void;
  /** The connection was lost: events may be missed from now on. */
  lost?(): void;
  regained?(): void;
}

export interface SessionEvent {
  readonly tokenId: string | null;
  readonly sessionUid: string | null;
  readonly type: string;
}

export interface PolicyEvent {
  readonly realm: string | null;
  readonly policySet: string | null;
  readonly policy: string | null;
  readonly type: string;
}

export interface TokenEvent {
  readonly grantId: string | null;
  readonly tokenId: string | null;
  readonly type: string;
}

/** Sessions of users at an access manager. */
export interface AmSessions {
  /** Returns the session of a token, from the cache or from the access manager; null when it is not valid. Rejects when nobody can tell. */
  info(token: string, exchange: Exchange): AmSession | null | Promise<AmSession | null>;
  /** The same with its properties, for which some access managers have to be asked again. */
  properties(token: string, exchange: Exchange): AmSession | null | Promise<AmSession | null>;
  /** The session of a token as the access manager knows it now, never from the cache: times in a cached one are old. */
  fresh(token: string, exchange: Exchange): Promise<AmSession | null>;
  /** Whether sessions are cached. */
  readonly areCached: boolean;
  /**
   * Whether a session that `info` returned is still cached after all events that arrived so far. Then `info` would return
   * it again, and it counts as used.
   */
  isCurrent(session: AmSession): boolean;
  /** Ends a session. Rejects when the access manager does not say that it did. */
  logout(token: string, exchange: Exchange): Promise<void>;
}

/** A valid session. Times are as the access manager writes them. */
export interface AmSession {
  /** Id of the session in notifications; null where the access manager does not tell it. */
  readonly uid: string | null;
  /** User for the access log. */
  readonly identity: Identity;
  readonly username: string | null;
  readonly universalId: string | null;
  readonly realm: string;
  readonly latestAccessTime: string | null;
  readonly maxIdleExpirationTime: string | null;
  readonly maxSessionExpirationTime: string | null;
  readonly properties: Readonly<Record<string, string>>;
  /** What the access manager answered. */
  readonly raw: JsonObject;
  /** The answer with `uid`, the name of the user in answers of every version. */
  readonly info: JsonObject;
}
