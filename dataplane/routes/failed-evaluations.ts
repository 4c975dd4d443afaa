import type { Logger } from 'pino';

/** An expression is warned of once in this time, in milliseconds. */
const QUIET = 60_000;
/** How many expressions are told apart; further ones are warned of when others have had their time. */
const MOST_EXPRESSIONS = 1000;

/**
 * Logs runtime expressions that gave no value although they were evaluated: a warning once a minute for each, because
 * clients can cause as many as they like, and the others for debugging.
 */
export class FailedEvaluations {
  private readonly log: Pick<Logger, 'warn' | 'debug'>;
  private readonly now: () => number;
  /** When each expression was last warned of, the longest ago first. */
  private readonly warned = new Map<string, number>();

  constructor(log: Pick<Logger, 'warn' | 'debug'>, now: () => number = () => performance.now()) {
    this.log = log;
    this.now = now;
  }

  add(expression: string, reason: string): void {
    if (this.mayWarn(expression)) this.log.warn({ expression, reason }, 'expression failed to evaluate');
    else this.log.debug({ expression, reason }, 'expression failed to evaluate');
  }

  private mayWarn(expression: string): boolean {
    const now = this.now();
    for (const [known, at] of this.warned) {
      if (now - at < QUIET) break;
      this.warned.delete(known);
    }
    if (this.warned.has(expression) || this.warned.size >= MOST_EXPRESSIONS) return false;
    this.warned.set(expression, now);
    return true;
  }
}
