import type { X509Certificate } from 'node:crypto';
import type { MayReach } from '../../../contract/egress.ts';
import type { ForwardingOptions } from '../backend/forwarding.ts';
import { identifying, RequestIds } from '../client/request-ids.ts';
import type { Headers } from '../head/headers.ts';
import type { Endpoint } from '../wire/wire.ts';
import { eachContext, findContext, type NamedContext, withContext } from './named-context.ts';
import type { Refusal } from './refusal.ts';
import type { Request } from './request.ts';
import type { Response } from './response.ts';
import type { Session, SessionPlace } from './session.ts';
import type { TunnelTraffic } from './tunnel-traffic.ts';
import type { Uri } from './uri.ts';
import { uuid } from './uuid.ts';
import type { Verdict } from './verdict.ts';
import type { WebSocketTerms } from './websocket-terms.ts';

/** Client of the request, as far as it is trusted. */
export interface ClientContext {
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly localAddress: string;
  readonly localPort: number;
  readonly isSecure: boolean;
  /** True: every request comes from outside of the program. */
  readonly isExternal: boolean;
  readonly userAgent: string | null;
  /** Whom the transport authenticated; nobody so far. */
  readonly remoteUser: string | null;
  /** What the client proved to be at the TLS handshake. */
  readonly certificates: readonly X509Certificate[];
}

/** Where the request was meant to go. */
export interface RouterContext {
  /** The URI as the client sent it, restored from what a trusted proxy says. */
  readonly originalUri: Uri;
  /** What lies before the routes; empty, because they begin at the root. */
  readonly baseUri: string;
  /** The part of the path that routing has matched as a whole; empty, because routes match by condition. */
  readonly matchedUri: string;
  /** The rest of the path, without the slash it begins with. */
  readonly remainingUri: string;
  readonly uriTemplateVariables: ReadonlyMap<string, string>;
}

/** Relation of this exchange to the calls that are made for it. */
export interface TransactionIdContext {
  readonly transactionId: { readonly value: string };
}

/** When the request came, in milliseconds of the wall clock. */
export interface RequestAuditContext {
  readonly requestReceivedTime: number;
}

/** A request that was sent on. */
export interface BackendCall {
  /** Its answer, once there is one. */
  readonly response: Response | null;
  /** Whether the request head has been written, so that its bytes are no longer needed. */
  readonly sent: boolean;
  /** How often it was sent once more because a kept connection was dead. */
  readonly repeats?: number;
  /** Nobody wants the answer any more. */
  cancel(): void;
}

/** Where exchanges come from. */
export interface Origin {
  readonly facts: {
    /** The host that the client asked for when it shook hands, or null. */
    readonly serverName: string | null;
    /** Whether the client was shown the certificate of a host when it shook hands; absent: yes. */
    isShownFor?(host: string): boolean;
    /** Whether forwarding headers are believed; absent: no. */
    readonly trusted?: boolean;
    clientContext(exchange: Exchange): ClientContext;
    remoteAddress(exchange: Exchange): string;
    originalUri(exchange: Exchange): Uri;
    forwardingLines(exchange: Exchange, options: ForwardingOptions): Buffer;
  };
  /** What WebSockets of this client are held to. */
  readonly webSockets: WebSocketTerms;
  /** Most bytes that it takes of an answer, which has to be in memory then; absent where the answer is passed on. */
  readonly answerLimit?: number;
  /** An interim answer of a backend. */
  interim(exchange: Exchange, status: number, reason: string, headers: Headers): void;
}

/** Why an object of the configuration did not let a request pass: for the access log and for audit events. */
export interface Decision {
  readonly refusal: Refusal;
  /** What exactly was wrong, or null where the code says it all. It holds no secret. */
  readonly reason: string | null;
  /** The qualified name of the object that refused. */
  readonly object: string;
  /** Its type, such as `ThrottlingFilter`. */
  readonly type: string;
}

/** Outcome of an exchange, for its audit record. */
export interface AccessOutcome {
  readonly status: number;
  readonly milliseconds: number;
  /** Bytes of the body that were sent. */
  readonly sent: number;
  readonly refusal: Refusal | null;
  readonly facts: AccessFacts;
  /** Set when the exchange became a tunnel, such as a WebSocket, which is over now. */
  readonly tunnel: TunnelTraffic | null;
}

/** Connection that a request came on. */
export interface AccessFacts {
  readonly scheme: string;
  readonly remote: Endpoint;
  readonly local: Endpoint;
  /** The subject of the certificate that the client proved to own, or null. */
  readonly user: string | null;
}

/** Audit record of an exchange under way. */
export interface AccessEntry {
  /** Called with the answer, before it is sent. */
  answered(response: Response): void;
  /** Adds the verdict of an object to the decision of the event. */
  note(verdict: Verdict): void;
  /** Called when the request goes on although an object has decided: the verdicts so far are not its outcome. */
  goesOn(): void;
  /** Adds an id that tells events of the same session or token from others. It must not be a credential. */
  track(id: string): void;
  /** Names the innermost route that took the request; `part` is JSON that the recorder of the service made for it. */
  enterRoute(part: string): void;
  /** The exchange is over: writes the event. */
  finished(exchange: Exchange, outcome: AccessOutcome): void;
}

/** User that a filter identified. */
export interface Identity {
  /** The name of the user, or null where there is none. Never a credential. */
  readonly user: string | null;
}

/** As good as no limit. */
export const ANY_NUMBER = 1 << 30;

/** One request and its response, with contexts and attributes. Fresh for each request: nothing of it is reused. */
export class Exchange {
  readonly request: Request;
  /** When the request head was complete, on the engine's clock. */
  readonly startedAt: number;
  /** The connection it came on; for the engine and for memos that live as long as a connection. */
  readonly origin: Origin;
  /** The contexts that were made or set, oldest first. */
  private contexts: NamedContext | null = null;
  private attributeMap: Map<string, unknown> | null = null;
  private transaction: string | null = null;
  private made: RequestIds | null = null;
  /**
   * What connections for it may be opened to, whoever opens them; null where that is for the objects to say. Set once a
   * tenant may have written where it goes, and never taken back.
   */
  egress: MayReach | null = null;
  /** How many gateways it came through at least, whatever its headers say: set before a tenant can change these. */
  gateways = 0;
  /** The id of the innermost route that took it, or null. */
  route: string | null = null;
  /** The backend that it was sent to last, or null. */
  backend: string | null = null;
  /** Who the user is, once a filter has found out. */
  identity: Identity | null = null;
  /** The refusal that a filter or a handler decided on last, or null. */
  decision: Decision | null = null;
  /** Its audit record; null where nothing is audited. */
  access: AccessEntry | null = null;
  /** When the answer was decided, on the engine's clock; 0 before. */
  answeredAt = 0;
  /** How often the next call may be sent once more because a kept connection was dead. */
  repeats = ANY_NUMBER;
  /** True when the answer is decided or the client is gone. */
  over = false;
  /** True when the client or the gateway broke the exchange off. */
  cut = false;
  /** Where its session comes from; null where there are no sessions. Set by session managers. */
  sessionPlace: SessionPlace | null = null;
  /** The session, once a cookie was presented for it or something asked for it. */
  openSession: Session | null = null;
  /** The call to a backend that is under way or answered last: ended when its answer is not the one that is sent. */
  call: BackendCall | null = null;

  constructor(origin: Origin, request: Request, startedAt: number) {
    this.origin = origin;
    this.request = request;
    this.startedAt = startedAt;
  }

  /** Withdraws the decision behind a response that the client does not get, because the request goes on. */
  goesOn(): void {
    this.decision = null;
    this.access?.goesOn();
  }

  get attributes(): Map<string, unknown> {
    this.attributeMap ??= new Map();
    return this.attributeMap;
  }

  /** Contexts by name: those of every exchange are always there, filters add theirs. */
  context(name: string): unknown {
    const known = findContext(this.contexts, name);
    if (known !== null) return known.value;
    if (name === 'client') return this.client;
    if (name === 'router') return this.router;
    if (name === 'attributes') return this.attributes;
    if (name === 'transactionId') return this.transactionContext;
    return name === 'requestAudit' ? this.auditContext : null;
  }

  /** The names of the contexts that are there. */
  get contextNames(): readonly string[] {
    const made = Array.from(eachContext(this.contexts), ({ name }) => name);
    return [...new Set(['attributes', 'client', 'router', ...made])];
  }

  setContext(name: string, context: unknown): void {
    this.contexts = withContext(this.contexts, name, context);
  }

  /** The innermost session; null where there are no sessions. */
  get session(): Session | null {
    if (this.openSession === null && this.sessionPlace !== null) this.openSession = this.sessionPlace.begin();
    return this.openSession;
  }

  /** Made once: what it is read from may be changed or gone later. */
  get client(): ClientContext {
    const known = findContext(this.contexts, 'client')?.value as ClientContext | undefined;
    if (known !== undefined) return known;
    const made = this.origin.facts.clientContext(this);
    this.setContext('client', made);
    return made;
  }

  /** The address of the client, without making the whole context where nobody asked for it. */
  get remoteAddress(): string {
    const known = findContext(this.contexts, 'client')?.value as ClientContext | undefined;
    return known?.remoteAddress ?? this.origin.facts.remoteAddress(this);
  }

  /** The URI as the client sent it, without making the whole context where nobody asked for it. */
  get originalUri(): Uri {
    const known = findContext(this.contexts, 'router')?.value as RouterContext | undefined;
    return known?.originalUri ?? this.origin.facts.originalUri(this);
  }

  get router(): RouterContext {
    const known = findContext(this.contexts, 'router')?.value as RouterContext | undefined;
    if (known !== undefined) return known;
    const originalUri = this.origin.facts.originalUri(this);
    const made: RouterContext = Object.freeze({
      originalUri,
      baseUri: '',
      matchedUri: '',
      remainingUri: originalUri.path,
      uriTemplateVariables: new Map(),
    });
    this.setContext('router', made);
    return made;
  }

  /** The ids of the request, made when somebody asks for them; null where requests get none. */
  get ids(): RequestIds | null {
    if (this.made === null && identifying.requests) this.made = new RequestIds(this.request.givenIds);
    return this.made;
  }

  /** Made up when somebody asks for it: what a client sends under that name is not believed. */
  get transactionId(): string {
    this.transaction ??= uuid();
    return this.transaction;
  }
  set transactionId(id: string) {
    this.transaction = id;
  }

  get transactionContext(): TransactionIdContext {
    return { transactionId: { value: this.transactionId } };
  }

  get auditContext(): RequestAuditContext {
    return { requestReceivedTime: Math.round(Date.now() - (performance.now() - this.startedAt)) };
  }

  /** Takes over what is known of another exchange, for which this one is made. */
  inherit(parent: Exchange): void {
    for (const { name, value } of eachContext(parent.contexts)) this.setContext(name, value);
    this.setContext('client', parent.client);
    this.setContext('router', parent.router);
    this.attributeMap = parent.attributeMap;
    this.transaction = parent.transactionId;
    this.made = parent.ids;
    this.openSession = parent.session;
  }

  /** Copies what lives in the arenas of the turn, because the chain still runs. */
  retain(): void {
    if (!this.over) this.request.headers.retain();
  }
}

/** Result of a filter or a handler: a response, or the promise of one. */
export type Answer = Response | PromiseLike<Response>;
/** The rest of the chain, and a handler. */
export type Next = (exchange: Exchange) => Answer;
/** Looks at an exchange, passes it on or answers; a denial is returned, never thrown. */
export type Filter = (exchange: Exchange, next: Next) => Answer;
