import { hash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';

export interface ReviewCacheOptions {
  readonly clock: Clock;
  /** Milliseconds for which an answer counts. */
  readonly lifetime: number;
  /** Most answers that are held; the oldest go first. */
  readonly most: number;
}

interface Held<T> {
  readonly answer: Promise<T>;
  readonly until: number;
}

/** Answers of the API server to reviews, for a short time. Failures are not held, and equal questions are asked once. */
export class ReviewCache<T> {
  private readonly options: ReviewCacheOptions;
  private readonly held = new Map<string, Held<T>>();

  constructor(options: ReviewCacheOptions) {
    this.options = options;
  }

  get size(): number {
    return this.held.size;
  }

  /** @param question may be a secret: only its hash is held @param longest milliseconds that this answer may count at most */
  answer(question: string, ask: () => Promise<T>, longest = Number.POSITIVE_INFINITY): Promise<T> {
    const { clock, lifetime, most } = this.options;
    const key = hash('sha256', question, 'base64');
    const now = clock.steady();
    const known = this.held.get(key);
    if (known !== undefined && now < known.until) return known.answer;
    const answer = ask();
    const held = { answer, until: now + Math.min(lifetime, longest) };
    this.held.delete(key);
    this.held.set(key, held);
    const [oldest] = this.held.keys();
    if (this.held.size > most && oldest !== undefined) this.held.delete(oldest);
    answer.catch(() => {
      if (this.held.get(key) === held) this.held.delete(key);
    });
    return answer;
  }
}
