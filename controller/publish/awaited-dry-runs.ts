import type { Clock } from '../../platform/clock.ts';
import type { DryRunAnswer } from './dry-run-question.ts';

/** Dry runs that somebody else was asked for, each with a number. */
export class AwaitedDryRuns {
  private readonly clock: Clock;
  private readonly waiting = new Map<number, (answer: DryRunAnswer) => void>();
  private last = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get size(): number {
    return this.waiting.size;
  }

  /** Asks for one by `send`, and answers `late` where none comes within so many milliseconds. */
  ask(timeout: number, late: () => DryRunAnswer, send: (number: number) => void): Promise<DryRunAnswer> {
    const number = ++this.last;
    return new Promise((resolve) => {
      const done = (answer: DryRunAnswer): void => {
        callOff();
        this.waiting.delete(number);
        resolve(answer);
      };
      const callOff = this.clock.after(timeout, () => done(late()));
      this.waiting.set(number, done);
      send(number);
    });
  }

  awaits(number: number): boolean {
    return this.waiting.has(number);
  }

  /** Takes the answer to one of them; others are nobody's. */
  answer(number: number, answer: DryRunAnswer): void {
    this.waiting.get(number)?.(answer);
  }

  /** Answers all that wait: nobody else will. */
  end(answer: DryRunAnswer): void {
    for (const done of [...this.waiting.values()]) done(answer);
  }
}
