import { z } from 'zod';
import { choice, duration, flag, integer } from '../../../contract/vocabulary/configured.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { Parts } from '../../heap/definition.ts';
import type { AmService, PolicyEvent, SessionEvent } from '../../heap/objects/am-service.ts';
import { isObject } from '../../jose/strict-json.ts';
import { cacheMeter } from '../../oauth2/cache/cache-meter.ts';
import { disconnectionStrategies } from '../../oauth2/cache/disconnection.ts';
import { AnswerCache } from '../cache/answer-cache.ts';
import { sessionUid as uidIn } from '../sessions/session-answer.ts';
import type { PolicyDecision } from './policy-decision.ts';

const DEFAULT_SIZE = 100_000;
/** More entries than a table of the runtime can have. */
const LARGEST_SIZE = 16_000_000;

/** Fields of the cache of a PolicyEnforcementFilter. */
export const decisionCacheFields = z.strictObject({
  enabled: flag().default(false).describe('Whether decisions are cached.'),
  defaultTimeout: duration({ zero: true, unlimited: true })
    .prefault('1 minute')
    .describe('How long a decision without a valid `ttl` is cached; zero disables caching of such decisions.'),
  executor: ref('executor').prefault('ScheduledExecutorService').describe('Runs the removal of expired decisions.'),
  maximumSize: integer({ min: 1, max: LARGEST_SIZE })
    .default(DEFAULT_SIZE)
    .describe(
      'Maximum number of cached decisions in each unit of the gateway. Beyond it, or above 4 KiB per decision on ' +
        'average, the oldest decisions are removed.',
    ),
  maximumTimeToCache: duration()
    .optional()
    .describe('Maximum time that a decision is cached, even if its `ttl` is later. By default until its `ttl`.'),
  onNotificationDisconnection: choice(disconnectionStrategies)
    .default('CLEAR_ON_DISCONNECT')
    .describe(
      'Handling of cached decisions while no notifications of the access manager arrive. `NEVER_CLEAR`: cached ' +
        'decisions are used on. `CLEAR_ON_DISCONNECT`: all decisions are removed when the connection is lost. ' +
        '`CLEAR_ON_RECONNECT`: cached decisions are used on, and removed when the connection is back. Requests ' +
        'without a cached decision are denied meanwhile. No effect if the AmService has no notifications.',
    ),
});

type CacheFields = z.output<typeof decisionCacheFields>;

/**
 * Group of decisions about sessions whose id is not known: every event with an id may mean them. With an id behind it,
 * the group of that session.
 */
const UNKNOWN_UID = 'session ';

/** Which policies the decisions of a cache come from. */
export interface PolicyScope {
  readonly realm: string;
  /** Null for the default policy set of the access manager, whose name it alone knows. */
  readonly application: string | null;
}

/** Creates the cache of a filter, which events about policies and sessions evict decisions from. */
export function decisionCache(
  { executor, maximumSize, maximumTimeToCache, onNotificationDisconnection }: CacheFields,
  { notifications }: AmService,
  scope: PolicyScope,
  parts: Parts,
): AnswerCache<PolicyDecision> {
  const cache = new AnswerCache<PolicyDecision>({
    maximumSize,
    maximumTimeToCache: maximumTimeToCache?.milliseconds ?? Number.POSITIVE_INFINITY,
    executor: parts.resolve(executor),
    meter: cacheMeter(parts, 'policy_decision'),
    notifications,
    onDisconnection: onNotificationDisconnection,
  });
  parts.onClose(() => cache.close());
  const end = notifications?.watch({
    policy: (event) => {
      if (concerns(event, scope)) cache.clear();
    },
    session: (event) => evictSession(cache, event),
  });
  if (end !== undefined) parts.onClose(end);
  return cache;
}

/**
 * True for a change of a policy that may change decisions of the scope. Names are compared as access managers do, in any
 * case. A realm that is no path, such as the name of its directory entry, may be any.
 */
function concerns({ realm, policySet }: PolicyEvent, scope: PolicyScope): boolean {
  if (realm?.startsWith('/') === true && plainRealm(realm) !== plainRealm(scope.realm)) return false;
  if (policySet === null || scope.application === null) return true;
  return policySet.toLowerCase() === scope.application.toLowerCase();
}

function plainRealm(realm: string): string {
  return realm.replace(/^\/+|\/+$/g, '').toLowerCase();
}

function evictSession(cache: AnswerCache<PolicyDecision>, { tokenId, sessionUid, type }: SessionEvent): void {
  if (type === 'SESSION_CREATION') return;
  if (tokenId === null && sessionUid === null) cache.clear();
  if (tokenId !== null) cache.evictGroup(tokenId);
  if (sessionUid !== null) {
    cache.evictGroup(uidGroup(sessionUid));
    cache.evictGroup(UNKNOWN_UID);
  }
}

/** The groups of a decision about a session: events name sessions by token or by id. None without a session. */
export function sessionGroups(token: string, exchange: Exchange): readonly string[] {
  if (token === '') return [];
  const uid = knownUid(token, exchange.context('ssoToken'));
  return [token, uid === null ? UNKNOWN_UID : uidGroup(uid)];
}

/** The id of the session, where a filter for sign-on before this one found the session of the token. */
function knownUid(token: string, signedOn: unknown): string | null {
  if (!isObject(signedOn) || signedOn['value'] !== token || !isObject(signedOn['info'])) return null;
  const { info } = signedOn;
  return uidIn(info) ?? (isObject(info['properties']) ? uidIn(info['properties']) : null);
}

function uidGroup(uid: string): string {
  return `${UNKNOWN_UID}${uid}`;
}
