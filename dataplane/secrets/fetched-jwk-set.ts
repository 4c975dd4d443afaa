import type { Logger } from 'pino';
import { BackOff } from '../../platform/back-off.ts';
import { LONGEST_TIMER } from '../../platform/clock.ts';
import type { CryptoKey } from '../heap/objects/secrets.ts';
import { MissBudget } from './miss-budget.ts';

export interface FetchedJwkSetOptions {
  /** Gets the keys from where they are. */
  fetch(): Promise<readonly CryptoKey[]>;
  /** For how many milliseconds keys may be used after they were fetched. */
  readonly lease: number;
  /** After how many milliseconds they are fetched again, while those at hand are used. */
  readonly refresh: number;
  /** Milliseconds between two fetches that the same unknown key name causes. */
  readonly missPause: number;
  readonly log: Logger;
  /** Hears when the keys are others than before, or may no longer be used. */
  changed(): void;
  /** Milliseconds from any moment on, never going back. */
  readonly now: () => number;
}

interface Held {
  readonly keys: readonly CryptoKey[];
  /** When fetching them began. */
  readonly since: number;
  readonly refreshAt: number;
  readonly until: number;
}

/**
 * The keys of a set that is kept elsewhere. They are fetched when they are needed first, and again while those at hand
 * serve; one fetch is for everybody who waits. When fetching fails, it is tried again later and later, the keys at hand
 * serve while their lease lasts, and then there are none.
 */
export class FetchedJwkSet {
  private readonly options: FetchedJwkSetOptions;
  private held: Held | null = null;
  private running: Promise<readonly CryptoKey[]> | null = null;
  private failure: unknown = null;
  private readonly backOff = new BackOff({ first: 1000, longest: 60_000, jitter: 0 });
  private retryAt = 0;
  private readonly misses: MissBudget;
  private timer: NodeJS.Timeout | null = null;
  private isWatched = false;
  private isClosed = false;

  constructor(options: FetchedJwkSetOptions) {
    this.options = options;
    this.misses = new MissBudget(options.missPause);
  }

  /** The keys. Rejects when there are none that may be used. */
  keys(): Promise<readonly CryptoKey[]> {
    const keys = this.keysAtHand();
    return keys === null ? this.fetched(this.options.now()) : Promise.resolve(keys);
  }

  /** The keys that were fetched, while they may be used; null otherwise. */
  keysAtHand(): readonly CryptoKey[] | null {
    const now = this.options.now();
    const { held } = this;
    if (held === null || now >= held.until) return null;
    if (now >= held.refreshAt && now >= this.retryAt) this.fetchAhead();
    return held.keys;
  }

  /**
   * Fetches the keys again because `seen`, which was asked for at `asked`, has none of this name. Returns `seen` when
   * no fetch is due.
   */
  async keysAfterMiss(name: string, seen: readonly CryptoKey[], asked: number): Promise<readonly CryptoKey[]> {
    const { held } = this;
    if (held !== null && held.keys !== seen) return held.keys; // others came meanwhile
    if (held !== null && held.since >= asked) return seen;
    const now = this.options.now();
    if (this.running === null && (now < this.retryAt || !this.misses.spend(name, now))) return seen;
    return this.fetched(now).catch(() => seen);
  }

  /** Whether the keys are to be fetched also when nobody asks for them, so that `changed` is told in time. */
  watch(isWatched: boolean): void {
    this.isWatched = isWatched;
    this.arm();
  }

  close(): void {
    this.isClosed = true;
    this.held = null;
    this.arm();
  }

  private fetchAhead(): void {
    this.fetched(this.options.now()).catch(() => {}); // it is in the log, and the keys at hand serve
  }

  private fetched(now: number): Promise<readonly CryptoKey[]> {
    if (this.running !== null) return this.running;
    if (this.isClosed) return Promise.reject(new Error('the store is closed'));
    if (now < this.retryAt) return Promise.reject(this.failure);
    this.running = this.fetchNow().finally(() => {
      this.running = null;
      this.arm();
    });
    return this.running;
  }

  private async fetchNow(): Promise<readonly CryptoKey[]> {
    const { fetch, lease, refresh, now, changed } = this.options;
    const began = now();
    let keys: readonly CryptoKey[];
    try {
      keys = await fetch();
    } catch (error) {
      this.failed(error);
      throw error;
    }
    this.backOff.reset();
    this.retryAt = 0;
    const before = this.held?.keys ?? [];
    const isSame = before.length === keys.length && before.every((key, at) => key === keys[at]);
    const current = isSame && this.held !== null ? before : keys;
    if (!this.isClosed) this.held = { keys: current, since: began, refreshAt: began + refresh, until: began + lease };
    if (!isSame) changed();
    return current;
  }

  private failed(error: unknown): void {
    const { now, log } = this.options;
    const wait = this.backOff.next();
    this.failure = error;
    this.retryAt = now() + wait;
    const isAtHand = this.held !== null && now() < this.held.until;
    const rest = isAtHand ? 'using the cached keys until their lease expires' : 'no cached keys to use';
    log.warn({ err: error, retryIn: wait }, `could not fetch a JWK set; ${rest}`);
  }

  /** Sets the timer for the next fetch that nobody asks for, and for the end of the lease. */
  private arm(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const { held } = this;
    if (this.isClosed || !this.isWatched || (held === null && this.retryAt === 0)) return;
    const { now } = this.options;
    const at = Math.max(held?.refreshAt ?? 0, this.retryAt);
    const next = held === null ? at : Math.min(at, held.until);
    const wait = Math.min(Math.max(1, Math.ceil(next - now())), LONGEST_TIMER);
    this.timer = setTimeout(() => this.due(), wait);
    this.timer.unref();
  }

  private due(): void {
    const now = this.options.now();
    if (this.held !== null && now >= this.held.until) {
      this.held = null;
      this.options.changed();
    }
    if (now >= Math.max(this.held?.refreshAt ?? 0, this.retryAt)) this.fetchAhead();
    else this.arm();
  }
}
