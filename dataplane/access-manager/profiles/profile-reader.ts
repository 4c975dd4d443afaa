import type { JsonObject } from '../../../contract/document/json-value.ts';
import { canonicalPath } from '../../engine/head/target.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { AmService } from '../../heap/objects/am-service.ts';
import type { UserProfile, UserProfiles } from '../../heap/objects/user-profiles.ts';
import { readJsonObject } from '../../jose/strict-json.ts';
import { type Answer, AnswerCache, type AnswerCacheOptions } from '../cache/answer-cache.ts';

/** The access manager has no profile of a user that can be used. The message does not name the user. */
export class NoProfile extends Error {
  constructor(reason: string) {
    super(`there is no profile of the user: ${reason}`);
    this.name = 'NoProfile';
  }
}

export interface ProfileReaderOptions {
  readonly service: Pick<AmService, 'jsonEndpoint' | 'call'>;
  readonly realm: string;
  /** Null for all. */
  readonly attributes: readonly string[] | null;
  /** Null without a cache. */
  readonly cache: AnswerCacheOptions | null;
}

const RESOURCE = '2.0';
const LONGEST_NAME = 1024;

/** Reads profiles of users in one realm of an access manager. */
export class ProfileReader implements UserProfiles {
  private readonly options: ProfileReaderOptions;
  private readonly cache: AnswerCache<UserProfile> | null;
  private readonly query: string;

  constructor(options: ProfileReaderOptions) {
    this.options = options;
    const { cache, attributes } = options;
    this.cache = cache === null ? null : new AnswerCache(cache);
    const wanted = attributes === null ? [] : [...new Set(['username', 'realm', ...attributes])];
    this.query = wanted.length === 0 ? '' : `?_fields=${wanted.map(encodeURIComponent).join(',')}`;
  }

  profile(username: string, exchange: Exchange): UserProfile | Promise<UserProfile> {
    const { cache } = this;
    const found = cache?.find(username);
    if (found !== undefined) return found;
    if (cache === null) return this.read(username, exchange);
    const load = async (): Promise<Answer<UserProfile>> => {
      const value = await this.read(username, exchange);
      return { value, keepUntil: Number.POSITIVE_INFINITY, size: JSON.stringify(value.rawInfo).length };
    };
    return cache.load(username, exchange, load);
  }

  close(): void {
    this.cache?.close();
  }

  private async read(username: string, exchange: Exchange): Promise<UserProfile> {
    const { service, realm } = this.options;
    const path = pathOf(username);
    if (path === null) throw new NoProfile('its name cannot be part of a URL');
    const uri = `${service.jsonEndpoint(path, realm)}${this.query}`;
    const { status, content } = await service.call({ method: 'GET', uri, resourceVersion: RESOURCE }, exchange);
    if (status !== 200) throw new NoProfile(`the access manager answered with the status ${status}`);
    const rawInfo = readJsonObject(content) as JsonObject | null;
    if (rawInfo === null) throw new NoProfile('the answer of the access manager is not a JSON object');
    const { username: named } = rawInfo;
    return frozen({
      username: typeof named === 'string' ? named : username,
      realm: typeof rawInfo['realm'] === 'string' ? rawInfo['realm'] : realm,
      asMap: Object.fromEntries(Object.entries(rawInfo).filter(([name]) => !name.startsWith('_'))),
      rawInfo,
    });
  }
}

/** Requests share a cached profile, so that nothing of it can be changed. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) frozen(item);
  return Object.freeze(value);
}

/** The path of a user below `/json`; null for names that a path cannot hold without another meaning. */
function pathOf(username: string): string | null {
  if (username === '' || username.length > LONGEST_NAME || !username.isWellFormed()) return null;
  // servers that decode twice would read a slash in a percent sign
  if (/^\.+$/.test(username) || /[%\p{Cc}]/u.test(username)) return null;
  const path = `users/${encodeURIComponent(username)}`;
  return canonicalPath(`/${path}`) === null ? null : path;
}
