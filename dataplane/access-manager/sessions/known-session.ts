import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import type { Identity } from '../../engine/message/exchange.ts';
import type { AmSession } from '../../heap/objects/am-service.ts';
import { userIn } from '../../heap/objects/user-name.ts';
import type { CachedAnswer } from '../cache/answer-cache.ts';

export interface SessionFacts extends Omit<AmSession, 'properties' | 'info' | 'identity'> {
  readonly token: string;
  /** When the access manager was asked, in milliseconds since 1970. */
  readonly askedAt: number;
  /** Id of the session in notifications; null where the access manager does not tell it. */
  readonly uid: string | null;
  /** Null where the answer had none. */
  readonly properties: Readonly<Record<string, string>> | null;
}

/** How long a session may be cached of which the access manager says no end, in milliseconds. */
const UNKNOWN_LIFETIME = 60_000;

/** A valid session, as the access manager described it. */
export class KnownSession implements AmSession {
  readonly token: string;
  readonly askedAt: number;
  readonly uid: string | null;
  readonly username: string | null;
  readonly universalId: string | null;
  readonly realm: string;
  readonly latestAccessTime: string | null;
  readonly maxIdleExpirationTime: string | null;
  readonly maxSessionExpirationTime: string | null;
  readonly properties: Readonly<Record<string, string>>;
  readonly hasProperties: boolean;
  readonly identity: Identity;
  readonly raw: JsonObject;
  /** The answer with `uid`, the name of the user in answers of every version. */
  readonly info: JsonObject;
  /** When its idle time is refreshed next, in milliseconds since 1970. */
  refreshAt = 0;
  /** Key among the sessions that were ended here; made when something was ended. */
  endedKey: string | null = null;
  /** Its entry in the cache, once it was found there. */
  entry: CachedAnswer<KnownSession | null> | null = null;

  constructor(facts: SessionFacts) {
    this.token = facts.token;
    this.askedAt = facts.askedAt;
    this.uid = facts.uid;
    this.username = facts.username;
    this.universalId = facts.universalId;
    this.realm = facts.realm;
    this.latestAccessTime = facts.latestAccessTime;
    this.maxIdleExpirationTime = facts.maxIdleExpirationTime;
    this.maxSessionExpirationTime = facts.maxSessionExpirationTime;
    this.properties = Object.freeze(facts.properties ?? {});
    this.hasProperties = facts.properties !== null;
    this.raw = frozen(facts.raw);
    this.identity = Object.freeze({ user: facts.username === null ? null : userIn({ username: facts.username }) });
    this.info = Object.freeze({ ...this.raw, uid: facts.username, valid: true });
  }

  /** The session with other properties. */
  with(properties: Readonly<Record<string, string>>, uid: string | null = this.uid): KnownSession {
    const copy = new KnownSession({ ...this, properties, uid });
    copy.refreshAt = this.refreshAt;
    return copy;
  }

  /** When it ends at the latest, in milliseconds since 1970, unless it is used or refreshed. */
  get expiresAt(): number {
    const ends = [this.maxIdleExpirationTime, this.maxSessionExpirationTime]
      .map((time) => (time === null ? Number.NaN : Date.parse(time)))
      .filter((time) => !Number.isNaN(time));
    return ends.length === 0 ? this.askedAt + UNKNOWN_LIFETIME : Math.min(...ends);
  }

  /** When the access manager last saw it in use, in milliseconds since 1970. */
  get lastUsedAt(): number {
    const time = this.latestAccessTime === null ? Number.NaN : Date.parse(this.latestAccessTime);
    return Number.isNaN(time) ? this.askedAt : time;
  }
}

/** All requests of a session share it, so that nothing of it can be changed. */
function frozen<T extends JsonValue>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) frozen(item as JsonValue);
  return Object.freeze(value);
}
