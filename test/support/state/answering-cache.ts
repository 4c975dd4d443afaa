import { vi } from 'vitest';
import {
  type Answer,
  AnswerCache,
  type AnswerCacheOptions,
  type EventFeed,
} from '../../../dataplane/access-manager/cache/answer-cache.ts';
import { RevocationsUnheard } from '../../../dataplane/oauth2/cache/disconnection.ts';
import { plainExchange } from '../gateways/plain-exchange.ts';

type Listener = Parameters<EventFeed['watch']>[0];

/** Notifications that a test loses and regains. Events wait until somebody catches up. */
export class ManualFeed implements EventFeed {
  isHeard = true;
  private readonly listeners = new Set<Listener>();
  private readonly waiting: (() => void)[] = [];

  watch(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  catchUp(): void {
    for (const apply of this.waiting.splice(0)) apply();
  }

  lose(): void {
    this.isHeard = false;
    this.waiting.push(() => {
      for (const listener of this.listeners) listener.lost?.();
    });
  }

  regain(): void {
    this.isHeard = true;
    this.waiting.push(() => {
      for (const listener of this.listeners) listener.regained?.();
    });
  }

  /** An event of the access manager with this effect on the caches of the test. */
  happen(effect: () => void): void {
    this.waiting.push(effect);
  }
}

/** A cache with a scripted access manager behind it. The clock must be a fake one. */
export class AnsweringCache {
  readonly cache: AnswerCache<string>;
  /** Keys that were loaded, in order. */
  readonly asked: string[] = [];
  readonly metrics: string[] = [];
  /** What a load gives: by default the key, kept for a minute. */
  answer: (key: string) => Promise<Answer<string>> = (key) => Promise.resolve(kept(key));
  /** Runs the task of the executor. */
  sweep: () => void = () => {};

  constructor(options: Partial<AnswerCacheOptions> = {}) {
    this.cache = new AnswerCache({
      maximumSize: 1000,
      maximumTimeToCache: Number.POSITIVE_INFINITY,
      executor: {
        schedule: () => () => {},
        repeat: (task) => {
          this.sweep = () => void task();
          return () => {
            this.sweep = () => {};
          };
        },
      },
      meter: {
        hit: () => this.metrics.push('hit'),
        miss: () => this.metrics.push('miss'),
        evicted: (cause) => this.metrics.push(cause),
        loaded: () => this.metrics.push('loaded'),
      },
      notifications: null,
      onDisconnection: 'CLEAR_ON_DISCONNECT',
      ...options,
    });
  }

  /** @param group one group, or two with a space between */
  get(key: string, group: string | null = null, exchange = plainExchange()): string | Promise<string> {
    const load = (): Promise<Answer<string>> => {
      this.asked.push(key);
      return this.answer(key);
    };
    return this.cache.get(key, exchange, load, group === null ? [] : group.split(' '));
  }

  /** Where the value of a key comes from, or that it is denied. */
  async source(key: string): Promise<'cached' | 'asked' | 'denied'> {
    const before = this.asked.length;
    try {
      await this.get(key);
    } catch (error) {
      if (!(error instanceof RevocationsUnheard)) throw error;
      return 'denied';
    }
    return this.asked.length === before ? 'cached' : 'asked';
  }
}

/** An answer that is kept for so many milliseconds. */
export function kept(value: string, milliseconds = 60_000, size = 0): Answer<string> {
  return { value, keepUntil: Date.now() + milliseconds, size };
}

/** Moves the fake clock. */
export function pass(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds);
}
