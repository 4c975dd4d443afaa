import type { Logger } from 'pino';
import { BackOff } from '../../../platform/back-off.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { Tunnel } from '../../engine/backend/tunnel.ts';
import type { JournalRecord } from './journal-record.ts';
import { type ConnectionOwner, type ConnectionTerms, NotificationConnection } from './notification-connection.ts';

/** Longest pause between attempts, as a multiple of the first one. */
const MOST_GROWTH = 12;
/** Part of the first pause before the first new attempt, so that gateways do not come back together. */
const FIRST_PART = 0.1;
/** Milliseconds that a connection is read on after another one took over: what was sent before may still arrive on it. */
const HANDOVER = 5000;

/** Times are in milliseconds; 0 for none. */
export interface LinkTerms extends ConnectionTerms {
  readonly reconnectDelay: number;
  readonly renewalDelay: number;
  /** Attempts before the first connection that follow each other quickly; -1 for any number. */
  readonly initialAttempts: number;
}

export interface LinkOptions {
  readonly terms: LinkTerms;
  /** Opens a connection as the agent. Rejects when there is none. */
  dial(): Promise<Tunnel>;
  readonly log: Logger;
  record(record: JournalRecord): void;
  /** Events arrive, on a first connection or on one that takes over. */
  regained(): void;
  lost(): void;
}

/** Keeps a connection to the notification service: makes it again when it is lost, and replaces it when it is old. */
export class NotificationLink implements ConnectionOwner {
  private readonly options: LinkOptions;
  private readonly backOff: BackOff;
  private readonly failures: PacedWarning;
  private current: NotificationConnection | null = null;
  /** A connection that is about to become the current one. */
  private next: NotificationConnection | null = null;
  /** The connection before the current one, while it is read on. */
  private former: NotificationConnection | null = null;
  private handover: NodeJS.Timeout | null = null;
  private timer: NodeJS.Timeout | null = null;
  private attempts = 0;
  private hasConnected = false;
  private isDialing = false;
  private isOver = false;

  constructor(options: LinkOptions) {
    const { reconnectDelay } = options.terms;
    this.options = options;
    const first = Math.max(1, reconnectDelay);
    this.backOff = new BackOff({ first, longest: MOST_GROWTH * first, jitter: 0.5 });
    this.failures = new PacedWarning(options.log, 'could not connect to the notification service, retrying', {
      most: 1,
      interval: 10_000,
    });
  }

  start(): void {
    void this.connect();
  }

  close(): void {
    this.isOver = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.next?.close();
    this.current?.close();
    this.dismiss();
  }

  ready(connection: NotificationConnection): void {
    const former = this.current;
    this.current = connection;
    this.next = null;
    this.hasConnected = true;
    this.attempts = 0;
    this.backOff.reset();
    this.options.regained();
    if (former === null) this.options.log.info('connected to the notification service');
    else this.readOn(former);
    const { renewalDelay } = this.options.terms;
    if (renewalDelay > 0) this.after(renewalDelay);
  }

  record(record: JournalRecord): void {
    if (!this.isOver) this.options.record(record);
  }

  closed(connection: NotificationConnection, reason: string): void {
    if (this.isOver) return;
    if (connection === this.former) {
      this.dismiss();
      if (this.current === null) return;
      this.options.lost(); // what was under way on it never arrives
      this.options.regained();
      return;
    }
    if (connection !== this.current) {
      this.next = null;
      this.failed(reason);
      return;
    }
    this.current = null;
    this.options.lost();
    this.options.log.warn({ reason }, 'lost the connection to the notification service, reconnecting');
    this.after(Math.random() * FIRST_PART * this.options.terms.reconnectDelay);
  }

  private readOn(former: NotificationConnection): void {
    this.dismiss();
    this.former = former;
    this.handover = setTimeout(() => this.dismiss(), HANDOVER).unref();
  }

  private dismiss(): void {
    if (this.handover !== null) clearTimeout(this.handover);
    this.former?.close();
    this.former = null;
  }

  private async connect(): Promise<void> {
    if (this.isDialing || this.next !== null) return; // what comes of it leads on
    this.isDialing = true;
    let tunnel: Tunnel;
    try {
      tunnel = await this.options.dial();
    } catch (error) {
      this.failed(errorText(error));
      return;
    } finally {
      this.isDialing = false;
    }
    if (this.isOver) {
      tunnel.abandon();
      return;
    }
    this.next = new NotificationConnection(tunnel, this.options.terms, this, this.options.log);
    this.next.open();
  }

  private failed(reason: string): void {
    if (this.isOver) return;
    const { initialAttempts, reconnectDelay } = this.options.terms;
    this.attempts++;
    if (!this.hasConnected && this.attempts === initialAttempts) {
      const facts = { reason, attempts: this.attempts };
      this.options.log.error(facts, 'no connection to the notification service since the start, retrying less often');
    } else this.failures.give({ reason });
    const isQuick = !this.hasConnected && (initialAttempts < 0 || this.attempts < initialAttempts);
    const pause = this.backOff.next();
    this.after(isQuick ? Math.min(pause, reconnectDelay) : pause);
  }

  private after(delay: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.connect(), Math.min(delay, 0x7fff_ffff));
    this.timer.unref();
  }
}
