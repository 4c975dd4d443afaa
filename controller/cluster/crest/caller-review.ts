import { hash } from 'node:crypto';
import { CrestError } from '../../../contract/crest/crest-error.ts';
import { canonicalJson } from '../../../contract/document/canonical.ts';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { readIpAddress } from '../../../contract/ip-address.ts';
import { GROUP, type ResourceKind, resourcePlurals } from '../../../contract/resources/resource.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { type AccessAttributes, type ReviewedUser, reviewAccess, reviewToken } from '../identity/reviews.ts';
import { tokenClaims } from '../identity/token-claims.ts';
import { FairTurns } from './fair-turns.ts';
import { ReviewCache } from './review-cache.ts';

/** A person or program that the cluster has authenticated. */
export interface Caller {
  /** Equal for all tokens of one user. */
  readonly name: string;
  /** Callers with the same one share rates and turns. */
  readonly party: string;
  readonly user: ReviewedUser;
  /** Everything that rights may depend on. Clusters name the token there too, so one user may have several. */
  readonly key: string;
}

/** An access to resources; without a namespace to those of all. */
export interface ResourceAccess {
  /** By default Routes. */
  readonly kind?: ResourceKind;
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'explain';
  readonly namespace?: string;
  readonly name?: string;
}

export interface CallerReviewOptions {
  readonly api: Pick<ApiCaller, 'call'>;
  readonly clock?: Clock;
  /** Milliseconds for which an answer of the API server counts. */
  readonly lifetime?: number;
}

/** Short, so that a right or a token that is taken away counts soon. */
const LIFETIME = 10_000;
const MOST_CALLERS = 1_000;
const MOST_ACCESSES = 20_000;
/** Milliseconds for which a token that was accepted is reviewed again with those of callers, and not with unknown ones. */
const REMEMBERED = 3_600_000;
/** Milliseconds that a review waits for its turn. */
const PATIENCE = 5_000;
/** Reviews for callers. One of them needs several for a query: one for each of its namespaces. */
const OF_CALLERS = { atOnce: 12, ofOne: 8, mostOfOne: 256, mostWaiting: 2_048, patience: PATIENCE };
/** Reviews of unknown tokens: a client without a credential must not keep the API server busy, or callers waiting. */
const OF_STRANGERS = {
  ...{ atOnce: 4, ofOne: 2, mostOfOne: 64, mostWaiting: 1_024, patience: PATIENCE },
  pace: { most: 200, perMillisecond: 0.1 },
};

/**
 * Judges callers by TokenReview and SubjectAccessReview, with the rights of the controller to ask. Unknown tokens are
 * reviewed apart from those of callers, and addresses that send them take turns.
 */
export class CallerReview {
  private readonly api: Pick<ApiCaller, 'call'>;
  private readonly clock: Clock;
  private readonly callers: ReviewCache<Caller | null>;
  private readonly accesses: ReviewCache<boolean>;
  private readonly ofCallers: FairTurns;
  private readonly ofStrangers: FairTurns;
  /** Names of callers by the hashes of their tokens. They give a turn, and no right. */
  private readonly remembered: ExpiringNames;

  constructor({ api, clock = systemClock, lifetime = LIFETIME }: CallerReviewOptions) {
    this.api = api;
    this.clock = clock;
    this.callers = new ReviewCache({ clock, lifetime, most: MOST_CALLERS, isRefusal: (caller) => caller === null });
    this.accesses = new ReviewCache({ clock, lifetime, most: MOST_ACCESSES, isRefusal: (isAllowed) => !isAllowed });
    this.ofCallers = new FairTurns({ clock, ...OF_CALLERS });
    this.ofStrangers = new FairTurns({ clock, ...OF_STRANGERS });
    this.remembered = new ExpiringNames(clock);
  }

  /**
   * Returns the caller of a token.
   *
   * @param from address that the token comes from
   * @throws CrestError 401 for a token that the cluster does not accept, 503 without an answer
   */
  async caller(token: string | null, from: string): Promise<Caller> {
    if (token === null) throw unauthenticated('send Authorization: Bearer with a token of the cluster');
    const end = tokenClaims(token)?.end ?? null;
    const left = end === null ? Number.POSITIVE_INFINITY : end - this.clock.wall();
    const caller = left <= 0 ? null : await this.callers.answer(token, () => this.reviewed(token, from), left);
    if (caller === null) throw unauthenticated('the cluster does not accept the token');
    return caller;
  }

  /** Returns true if a caller may do something. @throws CrestError 503 without an answer */
  may(caller: Caller, access: ResourceAccess): Promise<boolean> {
    const { kind = 'Route', verb, namespace, name } = access;
    const resourceAttributes = {
      ...{ group: GROUP, resource: resourcePlurals[kind], verb },
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
    };
    return this.allowed(caller, [kind, verb, namespace ?? '', name ?? ''], { resourceAttributes });
  }

  /** Returns true if a caller may use a path that belongs to no resource. @throws CrestError 503 without an answer */
  mayUse(caller: Caller, verb: string, path: string): Promise<boolean> {
    return this.allowed(caller, [verb, path], { nonResourceAttributes: { path, verb } });
  }

  private allowed(caller: Caller, question: readonly string[], attributes: AccessAttributes): Promise<boolean> {
    const { party, user, key } = caller;
    return this.accesses.answer(JSON.stringify([key, ...question]), () =>
      asked(this.ofCallers, party, () => reviewAccess(this.api, user, attributes)),
    );
  }

  private async reviewed(token: string, from: string): Promise<Caller | null> {
    const known = this.remembered.get(token);
    const review = (): Promise<ReviewedUser | null> => reviewToken(this.api, token);
    const user =
      known === null
        ? await asked(this.ofStrangers, networkOf(from), review)
        : await asked(this.ofCallers, known, review);
    if (user === null) return null;
    const party = partyOf(user.username);
    this.remembered.set(token, party);
    return { name: user.username, party, user, key: canonicalJson(identityOf(user)) };
  }
}

/** ServiceAccounts of one namespace are one party: whoever has the namespace can make any number of them. */
function partyOf(username: string): string {
  return /^system:serviceaccount:[^:]+:/.exec(username)?.[0] ?? username;
}

async function asked<T>(turns: FairTurns, party: string, ask: () => Promise<T>): Promise<T> {
  try {
    const answer = await turns.run(party, ask);
    if (answer !== null) return answer.result;
  } catch {
    // The reason is about our own rights and connections, and none of the caller's business.
    throw unavailable('the API server could not review the request');
  }
  throw unavailable('too many requests are being reviewed');
}

/** Names by the hashes of tokens, for a while. */
class ExpiringNames {
  private readonly clock: Clock;
  private readonly held = new Map<string, { readonly name: string; readonly until: number }>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get(token: string): string | null {
    const held = this.held.get(keyOf(token));
    return held !== undefined && this.clock.steady() < held.until ? held.name : null;
  }

  set(token: string, name: string): void {
    const key = keyOf(token);
    this.held.delete(key);
    this.held.set(key, { name, until: this.clock.steady() + REMEMBERED });
    if (this.held.size > MOST_CALLERS) this.held.delete(this.held.keys().next().value!);
  }
}

function keyOf(token: string): string {
  return hash('sha256', token, 'base64');
}

/** The address, or the network of an IPv6 address: one client has all addresses of it. */
function networkOf(address: string): string {
  const read = readIpAddress(address);
  return read === null || read.bits === 32 ? address : String(read.value >> 64n);
}

function identityOf({ username, uid = '', groups, extra = {} }: ReviewedUser): JsonValue {
  return [username, uid, groups, extra] as JsonValue;
}

/** The challenge of RFC 6750. */
export function unauthenticated(message: string): CrestError {
  return new CrestError(401, message, { headers: { 'www-authenticate': 'Bearer' } });
}

/** @param seconds after which another try makes sense */
export function unavailable(message: string, seconds = 1): CrestError {
  return new CrestError(503, message, { headers: { 'retry-after': String(seconds) } });
}
