import type { Exchange } from '../../engine/message/exchange.ts';
import type { AccessToken, AccessTokenResolver, Resolution } from '../../heap/objects/access-tokens.ts';
import type { Notifications, TokenEvent } from '../../heap/objects/am-service.ts';
import type { Executor } from '../../heap/objects/executor.ts';
import { SharedScopes } from '../client/shared-scopes.ts';
import type { CacheMeter } from './cache-meter.ts';
import { type DisconnectionStrategy, RevocationsUnheard } from './disconnection.ts';
import { ExpiringEntries } from './expiring-entries.ts';
import { idsOf, TokenIndex } from './token-index.ts';
import { VouchedToken } from './vouched-token.ts';

/** How long tokens are kept and how many. Times are in milliseconds. */
export interface TokenCacheOptions {
  /** For tokens that say nothing of their end. */
  readonly defaultTimeout: number;
  readonly maxTimeout: number;
  readonly maximumSize: number;
  /** Takes out what has expired, now and again. */
  readonly executor: Executor;
  readonly meter: CacheMeter;
  readonly revocations?: Notifications;
  readonly onDisconnection?: DisconnectionStrategy;
}

/** A resolution that is under way. */
interface Flight {
  readonly exchange: Exchange;
  answer: Promise<Resolution>;
  /** Something was revoked since it began: what it finds out may have been true before that. */
  doubted: boolean;
}

/**
 * Keeps what a resolver says of good tokens, under the tokens themselves: never longer than they last or than the keys
 * are there that they were judged with, never what was refused or failed. Requests that need the same token at a time wait for one resolution. When it is full, the token
 * that came first goes.
 */
export class TokenCache {
  private readonly resolver: AccessTokenResolver;
  private readonly options: TokenCacheOptions;
  private readonly kept: ExpiringEntries<VouchedToken>;
  private readonly flights = new Map<string, Flight>();
  private readonly revocations: Notifications | null;
  private readonly isClearedOnLoss: boolean;
  /** Null where nobody tells of revocations. */
  private readonly index: TokenIndex | null;
  private readonly scopes = new SharedScopes();
  private readonly releases: (() => void)[] = [];

  constructor(resolver: AccessTokenResolver, options: TokenCacheOptions) {
    this.resolver = resolver;
    this.options = options;
    const { maximumSize, executor, meter, revocations, onDisconnection = 'CLEAR_ON_DISCONNECT' } = options;
    this.revocations = revocations ?? null;
    this.isClearedOnLoss = onDisconnection === 'CLEAR_ON_DISCONNECT';
    this.index = revocations === undefined ? null : new TokenIndex();
    this.kept = new ExpiringEntries({
      maximumSize,
      executor,
      meter,
      removed: (token) => this.index?.remove(token),
      cleared: () => {
        this.doubtFlights();
        this.index?.clear();
      },
    });
    const unwatch = resolver.watch?.(() => this.doubt(true));
    if (unwatch !== undefined) this.releases.push(unwatch);
    if (revocations === undefined) return;
    const end = revocations.watch({
      token: (event) => this.revoke(event),
      lost: () => this.doubt(this.isClearedOnLoss),
      regained: () => this.doubt(onDisconnection === 'CLEAR_ON_RECONNECT'),
    });
    this.releases.push(end);
  }

  get size(): number {
    return this.kept.size;
  }

  /** Another one whenever all was forgotten: what somebody remembers beside the cache counts no more. */
  get epoch(): number {
    return this.kept.epoch;
  }

  /** Applies what was revoked since the last call. Whoever remembers a token beside the cache calls it first. */
  catchUp(): void {
    const { revocations } = this;
    if (revocations === null) return;
    revocations.catchUp();
    // the connection can be lost before an event says so, such as when the unit that holds it hangs
    if (this.isClearedOnLoss && this.kept.size > 0 && !revocations.isHeard) this.doubt(true);
  }

  /** The token if it is kept and still good at this time; counted when it is. */
  find(token: string, now: number): VouchedToken | null {
    this.catchUp();
    const found = this.kept.find(token);
    if (found === undefined) return null;
    if (this.isFresh(found, now)) return found;
    this.kept.remove(found, 'expired');
    return null;
  }

  /** True if `find` would find the token; not counted. */
  has(token: string, now: number): boolean {
    return this.peek(token, now) !== null;
  }

  /** The token if it is kept and still good at this time; not counted. */
  peek(token: string, now: number): VouchedToken | null {
    this.catchUp();
    const found = this.kept.find(token);
    return found !== undefined && now < found.keepUntil ? found : null;
  }

  /** Whether a token that was found since `epoch` changed last would be found again; counted when it would. */
  isFresh(found: VouchedToken, now: number): boolean {
    if (now >= found.keepUntil) return false;
    this.options.meter.hit();
    return true;
  }

  /** What is kept of the token, or what the resolver says of it. Throws or rejects when it could not be asked. */
  resolve(token: string, exchange: Exchange): Resolution | Promise<Resolution> {
    return this.find(token, Date.now()) ?? this.load(token, exchange);
  }

  /** What the resolver says of a token that is not kept. */
  load(token: string, exchange: Exchange): Resolution | Promise<Resolution> {
    this.options.meter.miss();
    this.refuseUnheard();
    const flight = this.flights.get(token);
    // what was asked before a revocation must not answer requests that came after it
    return flight === undefined || flight.doubted ? this.depart(token, exchange) : this.join(flight, token, exchange);
  }

  /** Forgets everything. */
  clear(): void {
    this.kept.clear();
  }

  close(): void {
    for (const release of this.releases) release();
    this.kept.close();
  }

  private depart(token: string, exchange: Exchange): Resolution | Promise<Resolution> {
    const start = performance.now();
    const ended = (): void => this.options.meter.loaded((performance.now() - start) / 1000);
    let answer: Resolution | Promise<Resolution>;
    try {
      answer = this.resolver.resolve(token, exchange);
    } catch (error) {
      ended();
      throw error;
    }
    if (!(answer instanceof Promise)) {
      ended();
      return this.keep(token, answer);
    }
    const flight: Flight = { exchange, answer, doubted: false };
    flight.answer = answer
      .finally(() => {
        this.catchUp(); // what was revoked meanwhile must still find this flight
        if (this.flights.get(token) === flight) this.flights.delete(token);
        ended();
      })
      .then((resolution) => {
        this.refuseUnheard();
        return flight.doubted ? resolution : this.keep(token, resolution);
      });
    this.flights.set(token, flight);
    return flight.answer;
  }

  /** Whoever began it may have gone and taken along what the resolver needs: then it is begun again. */
  private join(flight: Flight, token: string, exchange: Exchange): Promise<Resolution> {
    return flight.answer.catch((error: unknown) => {
      if (!flight.exchange.over || exchange.over) throw error;
      return this.load(token, exchange);
    });
  }

  private keep(token: string, resolution: Resolution): Resolution {
    if (resolution.kind === 'refusal') return resolution;
    const now = this.kept.time();
    const until = this.keepUntil(resolution, now);
    if (!(now < until)) return resolution;
    const scopes = this.scopes.shared(resolution.scopes);
    const made = VouchedToken.kept(token, resolution, scopes, until);
    this.kept.add(made);
    if (this.index !== null) {
      made.ids = idsOf(resolution.info);
      this.index.add(made);
    }
    return made;
  }

  private keepUntil({ expiresAt }: AccessToken, now: number): number {
    const { defaultTimeout, maxTimeout } = this.options;
    const end = expiresAt === Number.POSITIVE_INFINITY ? now + defaultTimeout : expiresAt;
    return Math.min(end, now + maxTimeout);
  }

  /** An event that names nothing may mean every token. */
  private revoke({ grantId, tokenId }: TokenEvent): void {
    this.doubt(grantId === null && tokenId === null);
    if (grantId !== null) for (const token of this.index!.ofGrant(grantId)) this.kept.remove(token, 'explicit');
    if (tokenId === null) return;
    for (const token of this.index!.withJti(tokenId)) this.kept.remove(token, 'explicit');
    const named = this.kept.find(tokenId);
    if (named !== undefined) this.kept.remove(named, 'explicit');
  }

  private doubt(all: boolean): void {
    if (all) this.clear();
    else this.doubtFlights();
  }

  private doubtFlights(): void {
    for (const flight of this.flights.values()) flight.doubted = true;
  }

  private refuseUnheard(): void {
    if (this.revocations?.isHeard === false) throw new RevocationsUnheard();
  }
}
