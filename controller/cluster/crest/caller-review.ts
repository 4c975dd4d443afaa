import { CrestError } from '../../../contract/crest/crest-error.ts';
import { canonicalJson } from '../../../contract/document/canonical.ts';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { GROUP, type ResourceKind, resourcePlurals } from '../../../contract/resources/resource.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { Admission } from '../../publish/channel/admission.ts';
import type { ApiCaller } from '../api/api-client.ts';
import { type ReviewedUser, reviewAccess, reviewToken } from '../identity/reviews.ts';
import { tokenClaims } from '../identity/token-claims.ts';
import { ReviewCache } from './review-cache.ts';

/** A person or program that the cluster has authenticated. */
export interface Caller {
  /** Equal for all tokens of one user. */
  readonly name: string;
  readonly user: ReviewedUser;
  /** Everything that rights may depend on. Clusters name the token there too, so one user may have several. */
  readonly key: string;
}

/** An access to resources; without a namespace to those of all. */
export interface ResourceAccess {
  /** By default Routes. */
  readonly kind?: ResourceKind;
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete';
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
/** Reviews at a time, and how long one waits for its turn: who has no credential must not keep the API server busy. */
const MOST_AT_A_TIME = 16;
const MOST_WAITING = 2_048;
/** Reviews of one user at a time: a query needs one for each of its namespaces. */
const MOST_OF_ONE = 256;
const PATIENCE = 5_000;

/** Judges callers by TokenReview and SubjectAccessReview, with the rights of the controller to ask. */
export class CallerReview {
  private readonly api: Pick<ApiCaller, 'call'>;
  private readonly clock: Clock;
  private readonly callers: ReviewCache<Caller | null>;
  private readonly accesses: ReviewCache<boolean>;
  private readonly turns: Admission;
  /** Reviews of access that are under way, by the names of users. */
  private readonly pending = new Map<string, number>();

  constructor({ api, clock = systemClock, lifetime = LIFETIME }: CallerReviewOptions) {
    this.api = api;
    this.clock = clock;
    this.callers = new ReviewCache({ clock, lifetime, most: MOST_CALLERS });
    this.accesses = new ReviewCache({ clock, lifetime, most: MOST_ACCESSES });
    this.turns = new Admission({ clock, atOnce: MOST_AT_A_TIME, patience: 2 * PATIENCE });
  }

  /** Returns the caller of a token. @throws CrestError 401 for a token that the cluster does not accept, 503 without an answer */
  async caller(token: string | null): Promise<Caller> {
    if (token === null) throw unauthenticated('send Authorization: Bearer with a token of the cluster');
    const end = tokenClaims(token)?.end ?? null;
    const left = end === null ? Number.POSITIVE_INFINITY : end - this.clock.wall();
    const caller = left <= 0 ? null : await this.callers.answer(token, () => this.reviewed(token), left);
    if (caller === null) throw unauthenticated('the cluster does not accept the token');
    return caller;
  }

  /** Returns true if a caller may do something. @throws CrestError 503 without an answer */
  may({ name: caller, user, key }: Caller, access: ResourceAccess): Promise<boolean> {
    const { kind = 'Route', verb, namespace, name } = access;
    const resourceAttributes = {
      ...{ group: GROUP, resource: resourcePlurals[kind], verb },
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
    };
    const question = JSON.stringify([key, kind, verb, namespace ?? '', name ?? '']);
    return this.accesses.answer(question, () =>
      this.counted(caller, () => this.inTurn(() => reviewAccess(this.api, user, { resourceAttributes }))),
    );
  }

  private async counted<T>(caller: string, ask: () => Promise<T>): Promise<T> {
    const others = this.pending.get(caller) ?? 0;
    if (others >= MOST_OF_ONE) throw unavailable('too many of your requests are being reviewed');
    this.pending.set(caller, others + 1);
    try {
      return await ask();
    } finally {
      const left = this.pending.get(caller)! - 1;
      if (left > 0) this.pending.set(caller, left);
      else this.pending.delete(caller);
    }
  }

  private async reviewed(token: string): Promise<Caller | null> {
    const user = await this.inTurn(() => reviewToken(this.api, token));
    return user && { name: user.username, user, key: canonicalJson(identityOf(user)) };
  }

  private async inTurn<T>(ask: () => Promise<T>): Promise<T> {
    if (this.turns.waiting >= MOST_WAITING) throw unavailable('too many callers are being reviewed');
    const leave = await this.turns.enter(0, AbortSignal.timeout(PATIENCE));
    if (leave === null) throw unavailable('too many callers are being reviewed');
    try {
      return await ask();
    } catch {
      // The reason is about our own rights and connections, and none of the caller's business.
      throw unavailable('the API server could not review the request');
    } finally {
      leave();
    }
  }
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
