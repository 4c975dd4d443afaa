import type { Clock } from '../clock.ts';

export interface PacedWritesOptions {
  readonly clock: Clock;
  /** Least milliseconds between two writes of one key. */
  readonly gap: number;
  /** How many writes may be under way. */
  readonly concurrency: number;
  /** Writes what is newest for a key; the text is the key. Never rejects. @returns when to try again, in milliseconds, if at all */
  write(key: string): Promise<number | null>;
}

interface Turn {
  /** On the steady clock: not before, and when it was asked for. */
  due: number;
  wanted: number;
  timer: (() => void) | null;
  isQueued: boolean;
  isWriting: boolean;
  isWanted: boolean;
}

/** Lets each key be written at once, then at most once in every gap, the last time after it was asked for last. */
export class PacedWrites {
  private readonly options: PacedWritesOptions;
  private readonly turns = new Map<string, Turn>();
  private readonly queue: string[] = [];
  private writing = 0;

  constructor(options: PacedWritesOptions) {
    this.options = options;
  }

  /** @param after milliseconds to wait for more that belongs into the same write */
  ask(key: string, after = 0): void {
    const turn = this.turns.get(key) ?? this.open(key);
    if (turn.isWriting) turn.isWanted = true;
    else if (!turn.isQueued && (turn.timer === null || this.options.clock.steady() + after < turn.wanted)) {
      turn.timer?.();
      this.schedule(key, turn, after);
    }
  }

  /** Nothing more is to be written for it. */
  forget(key: string): void {
    this.turns.get(key)?.timer?.();
    this.turns.delete(key);
  }

  forgetAll(): void {
    for (const key of [...this.turns.keys()]) this.forget(key);
    this.queue.length = 0;
  }

  private open(key: string): Turn {
    const turn: Turn = { due: 0, wanted: 0, timer: null, isQueued: false, isWriting: false, isWanted: false };
    this.turns.set(key, turn);
    return turn;
  }

  private schedule(key: string, turn: Turn, after: number): void {
    const now = this.options.clock.steady();
    const wait = Math.max(after, turn.due - now);
    turn.wanted = now + after;
    turn.timer = null;
    if (wait <= 0) {
      this.enqueue(key, turn);
      return;
    }
    turn.timer = this.options.clock.after(wait, () => {
      turn.timer = null;
      this.enqueue(key, turn);
    });
  }

  private enqueue(key: string, turn: Turn): void {
    turn.isQueued = true;
    this.queue.push(key);
    this.pump();
  }

  private pump(): void {
    while (this.writing < this.options.concurrency) {
      const key = this.queue.shift();
      if (key === undefined) return;
      const turn = this.turns.get(key);
      if (turn?.isQueued === true) void this.write(key, turn);
    }
  }

  private async write(key: string, turn: Turn): Promise<void> {
    turn.isQueued = false;
    turn.isWriting = true;
    turn.isWanted = false;
    turn.due = this.options.clock.steady() + this.options.gap;
    this.writing++;
    const again = await this.options.write(key);
    this.writing--;
    turn.isWriting = false;
    if (this.turns.get(key) === turn) {
      if (again !== null) {
        turn.due = Math.max(turn.due, this.options.clock.steady() + again);
        turn.isWanted = true;
      }
      if (turn.isWanted) this.schedule(key, turn, 0);
    }
    this.pump();
  }
}
