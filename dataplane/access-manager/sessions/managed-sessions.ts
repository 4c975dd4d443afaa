import { conceal } from '../../../contract/conceal.ts';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { OwnAnswer } from '../../engine/backend/own-call.ts';
import { canonicalPath } from '../../engine/head/target.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { Parts } from '../../heap/definition.ts';
import type { AmService, AmSession, AmSessions, AmVersion } from '../../heap/objects/am-service.ts';
import { readJsonObject } from '../../jose/strict-json.ts';
import { cacheMeter } from '../../oauth2/cache/cache-meter.ts';
import { SeenProofs } from '../../oauth2/seen-proofs.ts';
import { type EndedSessions, endedKey, endedSessionsOf } from '../../openid/lifetime/ended-sessions.ts';
import { type Answer, AnswerCache } from '../cache/answer-cache.ts';
import { hasPlainRealms } from '../service/am-version.ts';
import { KnownSession } from './known-session.ts';
import { readPropertiesAnswer, readSession, SessionNotEnded, SessionUnchecked, sessionUid } from './session-answer.ts';
import type { SessionSettings } from './session-cache-fields.ts';
import { hasOtherSpellings, isSessionToken } from './session-token.ts';

/** What sessions need of their service. */
export type SessionService = Pick<
  AmService,
  'identity' | 'jsonEndpoint' | 'call' | 'cookieName' | 'version' | 'notifications'
>;

/** Resource versions of `/json/sessions`: with the token in the path, and with the token in a header. */
const OLD_RESOURCE = '1.1';
const NEW_RESOURCE = '2.0';
/** Group of cached sessions whose id in notifications is not known: every such notification may mean them. */
const UNKNOWN_UID = '';
/** Characters that a session takes beside its answer. */
const OVERHEAD = 512;
/** Events that leave a session as it was. */
const HARMLESS: ReadonlySet<string> = new Set(['SESSION_CREATION']);

/**
 * Sessions of an access manager. Requests about a session carry its own token: OpenAM lets nobody but administrators ask
 * about sessions of others, and a token in a URL would be in logs. Old access managers know it in the path only.
 */
export class ManagedSessions implements AmSessions {
  private readonly service: SessionService;
  private readonly wanted: ReadonlySet<string> | null;
  private readonly cache: AnswerCache<KnownSession | null> | null;
  private readonly interval: number | null;
  private readonly refreshed: SeenProofs | null;
  private readonly ended: EndedSessions;
  private readonly realm: string;
  private readonly failed: PacedWarning;

  constructor(service: SessionService, settings: SessionSettings, parts: Parts) {
    const { plane, log, onClose } = parts;
    const { sessionProperties, sessionIdleRefresh } = settings;
    this.service = service;
    this.realm = parts.realm;
    this.wanted = sessionProperties === undefined || sessionProperties.length === 0 ? null : new Set(sessionProperties);
    this.cache = cacheOf(service, settings, parts);
    this.interval = sessionIdleRefresh?.enabled === true ? sessionIdleRefresh.interval.milliseconds : null;
    this.failed = new PacedWarning(log, 'idle time of a session could not be refreshed', { most: 1 });
    this.refreshed = this.interval === null ? null : refreshMemory(service, parts);
    const { ended, release } = endedSessionsOf(plane.sharedMemory, log);
    onClose(release);
    this.ended = ended;
    const announce = plane.announce?.bind(plane);
    if (announce !== undefined) onClose(ended.ended((record) => announce([record])));
  }

  info(token: string, exchange: Exchange): KnownSession | null | Promise<KnownSession | null> {
    const { cache } = this;
    const found = cache === null ? undefined : this.found(cache, token);
    if (found !== undefined) return this.used(found);
    if (!isSessionToken(token)) return null;
    const asked = cache === null ? this.ask(token, exchange) : this.loaded(cache, token, token, exchange, false);
    return asked.then((session) => (session === null ? null : this.used(session)));
  }

  properties(token: string, exchange: Exchange): KnownSession | null | Promise<KnownSession | null> {
    const { cache } = this;
    const key = propertiesKey(token);
    const found = cache === null ? undefined : this.found(cache, key);
    if (found !== undefined) return this.used(found);
    if (!isSessionToken(token)) return null;
    return cache === null ? this.askWithProperties(token, exchange) : this.loaded(cache, key, token, exchange, true);
  }

  async fresh(token: string, exchange: Exchange): Promise<KnownSession | null> {
    return isSessionToken(token) ? this.ask(token, exchange) : null;
  }

  get areCached(): boolean {
    return this.cache !== null;
  }

  isCurrent(session: AmSession): boolean {
    const { cache } = this;
    if (cache === null || !(session instanceof KnownSession) || session.entry === null) return false;
    if (!cache.holds(session.entry) || this.isEnded(session)) return false;
    this.used(session);
    return true;
  }

  async logout(token: string, exchange: Exchange): Promise<void> {
    if (!isSessionToken(token)) throw new SessionNotEnded('it cannot be asked about this token');
    let isLoggedOut = false;
    let reason: string;
    try {
      const { status, content } = await this.act('logout', token, exchange);
      isLoggedOut = status === 200 && saysSuccess(content);
      reason = `it answered with the status ${status}`;
    } finally {
      this.forget(token, isLoggedOut);
    }
    // a session that has ended before is answered in different ways, as are requests that it does not understand
    if (!isLoggedOut && (await this.ask(token, exchange)) !== null) throw new SessionNotEnded(reason);
  }

  /**
   * Has all units, and the other data planes of the group, ask again about a session. Only for sessions that there were:
   * clients that send made-up tokens must not push records of others out.
   */
  private forget(token: string, wasValid: boolean): void {
    if (this.cache === null) return;
    const wereCached = [token, propertiesKey(token)].map((key) => this.cache!.evict(key));
    if (wasValid || wereCached.includes(true)) this.ended.end({ key: this.keyOf(token), at: Date.now() });
  }

  private found(cache: AnswerCache<KnownSession | null>, key: string): KnownSession | undefined {
    const entry = cache.findEntry(key);
    const session = entry?.value ?? undefined;
    if (entry === undefined || session === undefined) return undefined;
    session.entry = entry;
    if (!this.isEnded(session)) return session;
    cache.evict(key);
    return undefined;
  }

  private isEnded(session: KnownSession): boolean {
    if (this.ended.isEmpty) return false;
    session.endedKey ??= this.keyOf(session.token);
    return this.ended.isEnded(session.endedKey, session.askedAt);
  }

  private loaded(
    cache: AnswerCache<KnownSession | null>,
    key: string,
    token: string,
    exchange: Exchange,
    hasProperties: boolean,
  ): Promise<KnownSession | null> {
    const load = async (): Promise<Answer<KnownSession | null>> => {
      const session = await (hasProperties ? this.askWithProperties(token, exchange) : this.ask(token, exchange));
      if (session === null || hasOtherSpellings(token)) return { value: session, keepUntil: 0 };
      const size = JSON.stringify(session.raw).length + OVERHEAD;
      return { value: session, keepUntil: session.expiresAt, size, group: session.uid ?? UNKNOWN_UID };
    };
    return cache.load(key, exchange, load);
  }

  private async ask(token: string, exchange: Exchange): Promise<KnownSession | null> {
    const askedAt = Date.now();
    const isOld = isOldVersion(await this.service.version(exchange));
    const path = isOld ? `sessions/${encodeURIComponent(token)}` : null;
    if (path !== null && canonicalPath(`/${path}`) === null) return null; // no address of a session
    const answer = await (path === null
      ? this.act('getSessionInfo', token, exchange)
      : this.send('validate', path, OLD_RESOURCE, {}, exchange)
    ).catch((error: unknown) => {
      // an address can be part of a message
      throw new SessionUnchecked(conceal(errorText(error), [token, encodeURIComponent(token)], ''));
    });
    const session = readSession(answer, token, askedAt);
    if (session === null) return null;
    if (this.interval !== null) session.refreshAt = session.lastUsedAt + this.interval;
    return session.hasProperties ? session.with(this.chosen(session.properties)) : session;
  }

  private async askWithProperties(token: string, exchange: Exchange): Promise<KnownSession | null> {
    const session = await this.ask(token, exchange);
    if (session === null || session.hasProperties) return session;
    const found = readPropertiesAnswer(await this.act('getSessionProperties', token, exchange));
    return found === null ? null : session.with(this.chosen(found), session.uid ?? sessionUid(found));
  }

  private chosen(properties: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const { wanted } = this;
    if (wanted === null) return properties;
    return Object.fromEntries(Object.entries(properties).filter(([name]) => wanted.has(name)));
  }

  private used(session: KnownSession): KnownSession {
    if (this.interval !== null) this.keepAlive(session, this.interval);
    return session;
  }

  /** Tells the access manager that a session is in use; no request waits for it. */
  private keepAlive(session: KnownSession, interval: number): void {
    const now = Date.now();
    if (now < session.refreshAt) return;
    session.refreshAt = now + interval;
    const seconds = Math.floor(now / 1000);
    const until = seconds + Math.ceil(interval / 1000) - 1; // remembered to the end of that second
    if (this.refreshed!.add(this.keyOf(session.token), seconds, until) === 'seen') return; // another unit did it
    this.refresh(session.token).then(
      ({ status }) => {
        if (status !== 200) this.failed.give({ reason: `the access manager answered with the status ${status}` });
      },
      (error: unknown) => this.failed.give({ reason: errorText(error) }),
    );
  }

  /** As the agent: users must not keep their sessions from timing out. */
  private async refresh(tokenId: string): Promise<OwnAnswer> {
    const resourceVersion = isOldVersion(await this.service.version(null)) ? OLD_RESOURCE : NEW_RESOURCE;
    const uri = `${this.service.jsonEndpoint('sessions')}?_action=refresh`;
    return this.service.call({ method: 'POST', uri, resourceVersion, body: { tokenId } }, null);
  }

  private async act(action: string, token: string, exchange: Exchange): Promise<OwnAnswer> {
    const headers = { [await this.service.cookieName(exchange)]: token };
    const isOld = isOldVersion(await this.service.version(exchange));
    return this.send(action, 'sessions', isOld ? OLD_RESOURCE : NEW_RESOURCE, headers, exchange);
  }

  private send(
    action: string,
    path: string,
    resourceVersion: string,
    headers: Readonly<Record<string, string>>,
    exchange: Exchange,
  ): Promise<OwnAnswer> {
    const uri = `${this.service.jsonEndpoint(path)}?_action=${action}`;
    const body: JsonValue = {};
    return this.service.call({ method: 'POST', uri, resourceVersion, headers, body, asAgent: false }, exchange);
  }

  private keyOf(token: string): string {
    return endedKey(this.realm, 'access manager session', this.service.identity, token);
  }
}

/** Whether a version has no `getSessionInfo`, which came with the long form of realms. */
function isOldVersion(version: AmVersion): boolean {
  return hasPlainRealms(version);
}

/** Whether the answer to a logout says that there was a session; others say that the token has expired. */
function saysSuccess(content: Buffer): boolean {
  const result = readJsonObject(content)?.['result'];
  return typeof result === 'string' && /^success/i.test(result);
}

/** No token has a space. */
function propertiesKey(token: string): string {
  return `properties ${token}`;
}

function cacheOf(
  { notifications }: SessionService,
  { sessionCache }: SessionSettings,
  parts: Parts,
): AnswerCache<KnownSession | null> | null {
  if (sessionCache?.enabled !== true) return null;
  const cache = new AnswerCache<KnownSession | null>({
    maximumSize: sessionCache.maximumSize,
    maximumTimeToCache: sessionCache.maximumTimeToCache?.milliseconds ?? Number.POSITIVE_INFINITY,
    executor: parts.resolve(sessionCache.executor),
    meter: cacheMeter(parts, 'session'),
    notifications,
    onDisconnection: sessionCache.onNotificationDisconnection,
  });
  parts.onClose(() => cache.close());
  if (notifications === null) return cache;
  const unwatch = notifications.watch({
    session({ tokenId, sessionUid, type }) {
      if (HARMLESS.has(type)) return;
      if (tokenId === null && sessionUid === null) cache.clear();
      if (tokenId !== null) {
        cache.evict(tokenId);
        cache.evict(propertiesKey(tokenId));
      }
      if (sessionUid !== null) {
        cache.evictGroup(sessionUid);
        cache.evictGroup(UNKNOWN_UID);
      }
    },
  });
  parts.onClose(unwatch);
  return cache;
}

function refreshMemory({ identity }: SessionService, { plane, onClose }: Parts): SeenProofs {
  const memory = plane.sharedMemory(`session refreshes ${identity}`, SeenProofs.bytes);
  onClose(() => memory.release());
  return new SeenProofs(memory.buffer);
}
