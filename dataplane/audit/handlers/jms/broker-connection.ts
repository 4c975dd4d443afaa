import type { RefusedEvent } from '../../writer/audit-sink.ts';

/** A message for a topic. */
export interface JmsMessage {
  /** The `_id` of its event; empty where there is none. */
  readonly eventId: string;
  readonly text: string;
}

/** What became of a batch. */
export interface BatchOutcome {
  /** How many messages at the beginning are safe at the broker, or refused for good. */
  readonly settled: number;
  /** Those of them that were refused. */
  readonly refused: readonly RefusedEvent[];
  /** Why the others were not taken; null if there are none. */
  readonly reason: string | null;
}

/** A connection to one broker with one producer for one topic. It is used until it fails, and then replaced. */
export interface BrokerConnection {
  /** Resolves with the reason once it is closed, whoever closed it. */
  readonly closed: Promise<Error>;
  readonly isClosed: boolean;
  /** Sends a batch. Resolves when the broker has confirmed it, or when the connection is closed. Never rejects. */
  deliver(batch: readonly JmsMessage[]): Promise<BatchOutcome>;
  /** Signs off and closes, within some milliseconds. */
  close(patience: number): Promise<void>;
  /** Closes without a word. */
  destroy(reason: Error): void;
}

/** Collects what becomes of the messages of a batch. */
export class BatchLedger {
  private readonly isSettled: boolean[];
  private readonly refused: RefusedEvent[] = [];
  private firstReason: string | null = null;

  constructor(size: number) {
    this.isSettled = new Array<boolean>(size).fill(false);
  }

  /** The broker has a message. */
  confirm(at: number): void {
    this.isSettled[at] = true;
  }

  /** The broker has a message and all before it that it does not confirm one by one. */
  confirmUpTo(at: number): void {
    this.isSettled.fill(true, 0, at + 1);
  }

  /** The broker will never take a message. */
  refuse(at: number, reason: string): void {
    this.isSettled[at] = true;
    this.refused.push({ at, reason });
  }

  /** The broker does not take a message now. */
  fail(reason: string): void {
    this.firstReason ??= reason;
  }

  outcome(): BatchOutcome {
    const first = this.isSettled.indexOf(false);
    const settled = first < 0 ? this.isSettled.length : first;
    const refused = this.refused.filter(({ at }) => at < settled).sort((one, other) => one.at - other.at);
    return { settled, refused, reason: first < 0 ? null : (this.firstReason ?? 'the broker did not confirm it') };
  }
}
