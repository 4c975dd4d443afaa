import { randomBytes, randomUUID } from 'node:crypto';
import { type AmAnswer, type AmCall, amError, apiVersion, cookieOf } from './am-call.ts';

export type SessionEvent =
  | 'SESSION_CREATION'
  | 'IDLE_TIMEOUT'
  | 'MAX_TIMEOUT'
  | 'LOGOUT'
  | 'DESTROY'
  | 'PROPERTY_CHANGED';

/** A session of the access manager. */
export interface HeldSession {
  readonly tokenId: string;
  /** Names it in `/agent/session.v2`; it is also the session property `AMCtxId`. */
  readonly uid: string;
  readonly username: string;
  readonly kind: 'user' | 'agent' | 'admin';
  readonly realm: string;
  /** A token that holds all of the session: its use is not tracked. */
  readonly isClientSide: boolean;
  authLevel: number;
  latestAccess: number;
  maxIdle: number;
  maxSession: number;
  readonly properties: Record<string, string>;
}

export interface SessionWish {
  readonly kind?: HeldSession['kind'];
  readonly realm?: string;
  readonly isClientSide?: boolean;
  readonly authLevel?: number;
  /** Milliseconds from now until it times out for good; by default two hours. */
  readonly lifetime?: number;
  readonly properties?: Readonly<Record<string, string>>;
}

const MINUTE = 60_000;

/** Which product the double answers like where they differ. */
export type AmProduct = 'OpenAM' | 'PingAM';

/** Sessions of the access manager, with the REST resource `/json/sessions`. */
export class HeldSessions {
  private readonly product: AmProduct;
  private readonly cookieName: string;
  private readonly publish: (session: HeldSession, type: SessionEvent) => void;
  private readonly held = new Map<string, HeldSession>();

  constructor(product: AmProduct, cookieName: string, publish: (session: HeldSession, type: SessionEvent) => void) {
    this.product = product;
    this.cookieName = cookieName;
    this.publish = publish;
  }

  /** Sessions that are valid now. */
  get all(): readonly HeldSession[] {
    return [...this.held.keys()].flatMap((token) => this.find(token) ?? []);
  }

  create(username: string, wish: SessionWish = {}): HeldSession {
    const { kind = 'user', realm = '/', isClientSide = false, authLevel = 0 } = wish;
    const { lifetime = 120 * MINUTE, properties = {} } = wish;
    const now = Date.now();
    const uid = randomUUID();
    const session: HeldSession = {
      tokenId: `AQIC5wM2${randomBytes(24).toString('base64url')}.*AAJTSQACMDEAAlNL${randomBytes(9).toString('base64url')}*`,
      uid,
      username,
      kind,
      realm,
      isClientSide,
      authLevel,
      latestAccess: now,
      maxIdle: now + Math.min(lifetime, 30 * MINUTE),
      maxSession: now + lifetime,
      properties: { ...(this.product === 'PingAM' && { AMCtxId: uid }), ...properties },
    };
    this.held.set(session.tokenId, session);
    this.publish(session, 'SESSION_CREATION');
    return session;
  }

  find(token: string | null | undefined): HeldSession | null {
    const session = this.held.get(token ?? '');
    if (session === undefined) return null;
    return Math.min(session.maxIdle, session.maxSession) > Date.now() ? session : null;
  }

  /** Ends a session; false when there is none. */
  end(token: string, type: SessionEvent = 'LOGOUT'): boolean {
    const session = this.find(token);
    this.held.delete(token);
    if (session !== null) this.publish(session, type);
    return session !== null;
  }

  /** Ends a session without an event, as when the notification is lost. */
  forget(token: string): void {
    this.held.delete(token);
  }

  setProperties(token: string, properties: Readonly<Record<string, string>>): void {
    const session = this.find(token);
    if (session === null) throw new Error('there is no such session');
    Object.assign(session.properties, properties);
    this.publish(session, 'PROPERTY_CHANGED');
  }

  /** The session of whoever sent a request, by the header only or by the cookie too. */
  caller(call: AmCall, { cookie = true } = {}): HeldSession | null {
    const header = call.headers[this.cookieName.toLowerCase()];
    return this.find(typeof header === 'string' ? header : cookie ? cookieOf(call, this.cookieName) : null);
  }

  serve(call: AmCall): AmAnswer {
    const inPath = /^\/json\/sessions\/(.+)$/.exec(call.path);
    const action = call.query.get('_action') ?? '';
    const version = apiVersion(call, 'resource') ?? '2.0';
    const isFirst = version.startsWith('1.');
    if (inPath !== null) {
      // Only the first generation of the resource has sessions in its path, and without a header the newest answers.
      if (!isFirst) return amError(501, 'Operation is not supported.');
      return this.act(action, decodeURIComponent(inPath[1]!), call);
    }
    const named = call.query.get('tokenId');
    const header = call.headers[this.cookieName.toLowerCase()];
    const own = typeof header === 'string' ? header : cookieOf(call, this.cookieName);
    if (this.product === 'PingAM') {
      const token = named ?? tokenInBody(call.body) ?? own;
      return token === null ? amError(400, 'tokenId not present') : this.act(action, token, call);
    }
    if (isFirst && action === 'validate') return this.act(action, named ?? own ?? '', call);
    const refusal = this.refusal(action, named, this.caller(call));
    if (refusal !== null) return refusal;
    if (isFirst && action !== 'logout') return notImplemented(action);
    if (!isFirst && version !== '2.0') return amError(404, "Resource '' not found");
    return action === 'validate' ? notImplemented(action) : this.act(action, named ?? own ?? '', call);
  }

  /** What OpenAM lets only administrators do: read sessions of others, and keep sessions from timing out. */
  private refusal(action: string, named: string | null, caller: HeldSession | null): AmAnswer | null {
    if (caller === null) return amError(401, 'Access Denied');
    if (caller.kind === 'admin' || action === 'logout') return null;
    const isOwn = ['getSessionInfo', 'getSessionProperties', 'validate', 'getTimeLeft'].includes(action);
    return isOwn && named === null ? null : amError(403, 'Forbidden');
  }

  private act(action: string, token: string, call: AmCall): AmAnswer {
    const session = this.find(token);
    switch (action) {
      case 'validate':
        if (session === null) return ok({ valid: false });
        return ok({ valid: true, uid: session.username, realm: session.realm });
      case 'getSessionInfo':
        if (session === null) return ok({ valid: false });
        // OpenAM takes the question for a use of the session
        if (this.product === 'OpenAM' && !session.isClientSide) touch(session);
        return ok(this.infoOf(session));
      case 'refresh':
        return session === null ? ok({ valid: false }) : this.refresh(session);
      case 'logout':
        return ok({ result: this.end(token) ? 'Successfully logged out' : 'Token has expired' });
      case 'getSessionProperties':
        return session === null ? amError(400, 'Bad Request') : ok(session.properties);
      case 'updateSessionProperties':
        if (session === null) return amError(400, 'Bad Request');
        this.setProperties(token, JSON.parse(call.body) as Record<string, string>);
        return ok(session.properties);
      default:
        return notImplemented(action);
    }
  }

  private refresh(session: HeldSession): AmAnswer {
    const { username: uid, realm, maxSession } = session;
    touch(session);
    const maxtime = Math.floor((maxSession - session.latestAccess) / 1000);
    return ok({ uid, realm, idletime: 0, maxidletime: 30, maxsessiontime: 120, maxtime });
  }

  private infoOf(session: HeldSession): object {
    const { username, realm, latestAccess, maxIdle, maxSession, properties } = session;
    return {
      username,
      universalId: universalId(session),
      realm,
      sessionHandle: `shandle:${session.uid}`,
      latestAccessTime: time(latestAccess),
      maxIdleExpirationTime: time(maxIdle),
      maxSessionExpirationTime: time(maxSession),
      ...(this.product === 'PingAM' && { properties }),
    };
  }
}

function touch(session: HeldSession): void {
  session.latestAccess = Date.now();
  session.maxIdle = Math.min(session.maxSession, session.latestAccess + 30 * MINUTE);
}

/** Name of an identity in all realms. */
export function universalId({ username, kind, realm }: Pick<HeldSession, 'username' | 'kind' | 'realm'>): string {
  const organisations = realm.split('/').filter((name) => name !== '');
  const suffix = [...organisations.reverse().map((name) => `o=${name},ou=services`), 'dc=openam,dc=example,dc=org'];
  return `id=${username},ou=${kind === 'agent' ? 'agent' : 'user'},${suffix.join(',')}`;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

function tokenInBody(body: string): string | null {
  try {
    const said = JSON.parse(body) as { readonly tokenId?: unknown } | null;
    return typeof said?.tokenId === 'string' ? said.tokenId : null;
  } catch {
    return null;
  }
}

function notImplemented(action: string): AmAnswer {
  return amError(501, `Action ${action} not implemented for this resource`);
}

function ok(body: object): AmAnswer {
  return { status: 200, body };
}
