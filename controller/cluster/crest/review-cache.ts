import { hash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';

export interface ReviewCacheOptions<T> {
  readonly clock: Clock;
  /** Milliseconds for which an answer counts. */
  readonly lifetime: number;
  /** Most answers that are held; the oldest go first. */
  readonly most: number;
  /** True for an answer that never takes the place of others: so many refusals may be held besides. */
  readonly isRefusal?: (answer: T) => boolean;
}

interface Held<T> {
  readonly answer: T;
  readonly until: number;
}

/** Answers of the API server to reviews, for a short time. Failures are not held, and equal questions are asked once. */
export class ReviewCache<T> {
  private readonly options: ReviewCacheOptions<T>;
  private readonly held = new Map<string, Held<T>>();
  private readonly refusals = new Map<string, Held<T>>();
  private readonly pending = new Map<string, Promise<T>>();

  constructor(options: ReviewCacheOptions<T>) {
    this.options = options;
  }

  get size(): number {
    return this.held.size + this.refusals.size;
  }

  /** @param question may be a secret: only its hash is held @param longest milliseconds that this answer may count at most */
  answer(question: string, ask: () => Promise<T>, longest = Number.POSITIVE_INFINITY): Promise<T> {
    const { clock, lifetime } = this.options;
    const key = hash('sha256', question, 'base64');
    const now = clock.steady();
    const known = this.held.get(key) ?? this.refusals.get(key);
    if (known !== undefined && now < known.until) return Promise.resolve(known.answer);
    const asked = this.pending.get(key);
    if (asked !== undefined) return asked;
    const until = now + Math.min(lifetime, longest);
    const answer = ask()
      .then((given) => {
        this.hold(key, { answer: given, until });
        return given;
      })
      .finally(() => this.pending.delete(key));
    this.pending.set(key, answer);
    return answer;
  }

  private hold(key: string, held: Held<T>): void {
    this.held.delete(key);
    this.refusals.delete(key);
    const among = this.options.isRefusal?.(held.answer) === true ? this.refusals : this.held;
    among.set(key, held);
    const [oldest] = among.keys();
    if (among.size > this.options.most && oldest !== undefined) among.delete(oldest);
  }
}
