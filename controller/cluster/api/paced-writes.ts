import type { Clock } from '../../../platform/clock.ts';

export interface PacedWritesOptions {
  readonly clock: Clock;
  /** Least milliseconds between two writes of one key. */
  readonly gap: number;
  /** How many writes may be under way at most. It begins with a third, grows with each success, and halves when the server is busy. */
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
  isUrgent: boolean;
  isWriting: boolean;
  isWanted: boolean;
}

/** Every so many turns the oldest of a queue goes first, so that newer ones cannot keep it waiting for ever. */
const OLDEST_FIRST = 4;
/** How many writes may be under way, however busy the server is. */
const LEAST_WRITING = 2;

/**
 * Lets each key be written at once, then at most once in every gap, the last time after it was asked for last. Where many
 * wait, urgent ones go first, and among equals the newest.
 */
export class PacedWrites {
  private readonly options: PacedWritesOptions;
  private readonly turns = new Map<string, Turn>();
  private readonly urgent: string[] = [];
  private readonly queue: string[] = [];
  private taken = 0;
  private writing = 0;
  private limit: number;

  constructor(options: PacedWritesOptions) {
    this.options = options;
    this.limit = Math.max(LEAST_WRITING, options.concurrency / 3);
  }

  /**
   * @param after milliseconds to wait for more that belongs into the same write
   * @param isUrgent whether it goes before all that is not
   */
  ask(key: string, after = 0, isUrgent = false): void {
    const turn = this.turns.get(key) ?? this.open(key);
    if (isUrgent && !turn.isUrgent) {
      turn.isUrgent = true;
      if (turn.isQueued) this.urgent.push(key);
    }
    if (turn.isWriting) turn.isWanted = true;
    else if (!turn.isQueued && (turn.timer === null || this.options.clock.steady() + after < turn.wanted)) {
      turn.timer?.();
      this.schedule(key, turn, after);
    }
  }

  /** The server cannot keep up: fewer writes go at a time. */
  slowDown(): void {
    this.limit = Math.max(LEAST_WRITING, this.limit / 2);
  }

  /** Nothing more is to be written for it. */
  forget(key: string): void {
    this.turns.get(key)?.timer?.();
    this.turns.delete(key);
  }

  forgetAll(): void {
    for (const key of [...this.turns.keys()]) this.forget(key);
    this.queue.length = 0;
    this.urgent.length = 0;
  }

  private open(key: string): Turn {
    const turn: Turn = {
      due: 0,
      wanted: 0,
      timer: null,
      isQueued: false,
      isUrgent: false,
      isWriting: false,
      isWanted: false,
    };
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
    (turn.isUrgent ? this.urgent : this.queue).push(key);
    this.pump();
  }

  private pump(): void {
    while (this.writing < Math.floor(this.limit)) {
      const key = this.next();
      if (key === undefined) return;
      const turn = this.turns.get(key);
      if (turn?.isQueued === true) void this.write(key, turn);
    }
  }

  private next(): string | undefined {
    const queue = this.urgent.length > 0 ? this.urgent : this.queue;
    return ++this.taken % OLDEST_FIRST === 0 ? queue.shift() : queue.pop();
  }

  private async write(key: string, turn: Turn): Promise<void> {
    turn.isQueued = false;
    turn.isUrgent = false;
    turn.isWriting = true;
    turn.isWanted = false;
    turn.due = this.options.clock.steady() + this.options.gap;
    this.writing++;
    const again = await this.options.write(key);
    this.writing--;
    turn.isWriting = false;
    if (again === null) this.limit = Math.min(this.options.concurrency, this.limit + 1 / this.limit);
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
