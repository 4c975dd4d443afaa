import type { Logger } from 'pino';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import { FlushFailed, Spool } from '../spool/spool.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditHandlerSettings } from './audit-orders.ts';
import { type EventLimits, EventQueue } from './event-queue.ts';
import type { DropReason, HandlerAccounts } from './handler-accounts.ts';

export interface OverflowOptions {
  readonly settings: Pick<AuditHandlerSettings, 'queue' | 'spool' | 'whenFull'>;
  readonly accounts: HandlerAccounts;
  readonly log: Logger;
  refuse(refuses: boolean): void;
}

/** Part of the room from which on requests are refused, so that those under way still find room for their events. */
const REFUSE_FROM = 0.9;
/** Part of the room under which requests are let in again. */
const ADMIT_UNDER = 0.75;
/** Milliseconds before a spool that could not be opened is tried again. */
const SPOOL_RETRY = 5000;
/** Bytes that are read from the spool at once. */
const SPOOL_READ = 1 << 20;

/**
 * Events of a handler that wait: in memory, and in the spool once that is full. While the spool holds events, all that
 * are in memory are in it too, so that the order stays and a killed process loses none of them.
 */
export class Overflow {
  private readonly accounts: HandlerAccounts;
  private readonly log: Logger;
  private readonly drops: PacedWarning;
  private readonly queue = new EventQueue();
  private readonly refuse: (refuses: boolean) => void;
  private settings: OverflowOptions['settings'];
  private spool: Spool | null = null;
  private spoolRetryAt = 0;
  private isRefusing = false;
  /** Events that a writer thread held when it died: in memory, or in the spool that is not open yet. */
  private unaccounted: number;
  private hasClosed = false;

  constructor({ settings, accounts, log, refuse }: OverflowOptions) {
    this.settings = settings;
    this.accounts = accounts;
    this.log = log;
    this.refuse = refuse;
    this.drops = new PacedWarning(log, 'audit events dropped', { most: 1, interval: 10_000 });
    this.unaccounted = accounts.waiting;
    if (!accounts.includesSpool) this.countRestart(0);
    this.openSpool();
    this.judge(); // a spool that a writer before this one filled refuses requests from the start
  }

  get isEmpty(): boolean {
    return this.queue.length === 0 && (this.spool?.waiting ?? 0) === 0;
  }

  get isClosed(): boolean {
    return this.hasClosed;
  }

  private get isSpooling(): boolean {
    return this.spool !== null && this.spool.waiting > 0;
  }

  limit(settings: OverflowOptions['settings']): void {
    this.settings = { ...settings, spool: this.settings.spool };
    this.judge();
  }

  /** Takes an event, or drops and counts it. */
  add(event: AuditEvent): void {
    this.accounts.emit(1);
    if (this.isClosed) this.drop('closed', 1);
    else if (!this.isSpooling && this.hasRoomFor(event)) this.queue.push({ event, spooled: null });
    else this.overflow(event);
  }

  /** Counts events that were lost before they came here. */
  lose(reason: DropReason, events: number): void {
    this.accounts.emit(events);
    this.drop(reason, events);
  }

  private hasRoomFor(event: AuditEvent): boolean {
    const { maxEvents, maxBytes } = this.settings.queue;
    return (
      this.queue.length === 0 || (this.queue.length < maxEvents && this.queue.bytes + event.bytes.length <= maxBytes)
    );
  }

  private overflow(event: AuditEvent): void {
    if (this.spool === null) this.openSpool();
    const { spool } = this;
    if (spool === null) this.drop('queue-full', 1);
    else {
      try {
        if (!this.isSpooling) this.spoolQueue(spool);
        if (spool.append(event) === null) this.drop('spool-full', 1);
      } catch (error) {
        this.drop('spool-failed', 1 + (error instanceof FlushFailed ? error.events : 0), error);
      }
    }
  }

  /** From here on the spool holds all events that wait, also those in memory. */
  private spoolQueue(spool: Spool): void {
    let end: number | null = null;
    const ends: number[] = [];
    try {
      for (const { event } of this.queue) {
        end = spool.append(event);
        if (end === null) break;
        ends.push(end);
      }
      spool.flush();
    } catch (error) {
      spool.clear();
      throw error instanceof FlushFailed ? error.cause : error;
    }
    if (ends.length < this.queue.length) {
      spool.clear(); // smaller than the queue: of no use for what is in memory
      return;
    }
    for (const entry of this.queue) entry.spooled = ends.shift()!;
    if (end !== null) spool.skipTo(end);
  }

  /** Writes what was added to the spool, and the accounts. */
  flush(): void {
    try {
      this.spool?.flush();
    } catch (error) {
      this.drop('spool-failed', error instanceof FlushFailed ? error.events : 0, error);
    }
    this.store();
    this.judge();
  }

  /** The next events, from the spool where none are in memory. */
  batch(limits: EventLimits): AuditEvent[] {
    const { spool } = this;
    while (this.queue.length === 0 && spool !== null && spool.waiting > 0) {
      this.flush();
      const { events, damaged } = spool.read(SPOOL_READ);
      if (damaged > 0) this.drop('spool-damaged', damaged);
      for (const { event, end } of events) this.queue.push({ event, spooled: end });
      if (events.length === 0 && damaged === 0) break;
    }
    return this.queue.batch(limits);
  }

  /** The first events are delivered or refused. */
  shift(count: number): void {
    const end = this.queue.shift(count);
    if (end !== null) this.spool?.acknowledge(end, count);
    this.store();
    this.judge();
  }

  private store(): void {
    try {
      this.spool?.store();
    } catch (error) {
      this.drop('spool-failed', 0, error);
    }
  }

  /** Leaves what waits to the spool, or drops it. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.hasClosed = true;
    if (this.spool === null && this.queue.length > 0) this.openSpool();
    const { spool } = this;
    if (spool !== null && !this.isSpooling && this.queue.length > 0) {
      try {
        this.spoolQueue(spool);
      } catch (error) {
        this.drop('spool-failed', 0, error);
      }
    }
    const left = this.accounts.waiting;
    const spooled = this.spool?.waiting ?? 0;
    if (left > spooled) this.drop('closed', left - spooled);
    if (spooled > 0) this.log.info({ events: spooled }, 'audit events left in the spool for the next start');
    this.spool = null;
    if (this.isRefusing) this.refuse(false);
    await spool?.close().catch((error: unknown) => {
      this.log.warn({ error: errorText(error) }, 'audit spool not closed');
    });
  }

  private openSpool(): void {
    const { spool: options } = this.settings;
    if (options === null || performance.now() < this.spoolRetryAt) return;
    try {
      this.spool = new Spool(options, () => this.accounts.totals());
      this.adopt(this.spool);
    } catch (error) {
      this.spoolRetryAt = performance.now() + SPOOL_RETRY;
      const { directory } = options;
      this.log.error({ directory, error: errorText(error) }, 'audit spool not available; events wait in memory');
    }
  }

  /** Continues the accounts that are beside the spool; what they count and nobody holds was lost with a process. */
  private adopt({ found, torn, waiting }: Spool): void {
    if (this.accounts.includesSpool) this.countRestart(waiting);
    else if (found === null) this.accounts.emit(waiting);
    else {
      const { totals } = found;
      const done = totals.delivered + totals.dropped.reduce((sum, count) => sum + count, 0);
      const lost = Math.max(0, totals.emitted - done - waiting);
      this.accounts.add({ ...totals, emitted: done + waiting + lost });
      const damaged = torn > 0 ? Math.min(1, lost) : 0;
      if (damaged > 0) this.drop('spool-damaged', damaged);
      if (lost > damaged) this.drop('process-killed', lost - damaged);
    }
    this.accounts.includesSpool = true;
    if (waiting > 0) this.log.info({ events: waiting }, 'audit events found in the spool');
    if (torn > 0) this.log.warn({ bytes: torn }, 'audit spool ended in the middle of a record; the rest was cut off');
  }

  /** Counts what a writer thread had in memory when it died. */
  private countRestart(spooled: number): void {
    const lost = this.unaccounted - spooled;
    this.unaccounted = 0;
    if (lost > 0) this.drop('writer-restart', lost);
  }

  private drop(reason: DropReason, events: number, error?: unknown): void {
    this.accounts.drop(reason, events);
    this.drops.give({ reason, events, ...(error === undefined ? {} : { error: errorText(error) }) });
  }

  /** Refuses requests while there is little room, and lets them in again once there is much more. */
  private judge(): void {
    if (this.settings.whenFull !== 'REFUSE_TRAFFIC' || this.isClosed) return;
    const used = this.used();
    const refuses = this.isRefusing ? used >= ADMIT_UNDER : used >= REFUSE_FROM;
    if (refuses === this.isRefusing) return;
    this.isRefusing = refuses;
    this.refuse(refuses);
    if (refuses)
      this.log.warn({ waiting: this.accounts.waiting }, 'audit events cannot be stored; requests are refused');
    else this.log.info({ waiting: this.accounts.waiting }, 'audit events can be stored again; requests are accepted');
  }

  private used(): number {
    const { spool: options, queue } = this.settings;
    const inMemory = Math.max(this.queue.length / queue.maxEvents, this.queue.bytes / queue.maxBytes);
    if (options === null || this.spool === null) return inMemory;
    return this.isSpooling ? this.spool.bytes / options.maxSize : 0;
  }
}
