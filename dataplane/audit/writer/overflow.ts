import type { Logger } from 'pino';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import { FlushFailed, Spool } from '../spool/spool.ts';
import { SpoolTaken } from '../spool/spool-lock.ts';
import { spoolTurns } from '../spool/spool-turns.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditHandlerSettings } from './audit-orders.ts';
import { type EventLimits, EventQueue } from './event-queue.ts';
import type { DropReason, HandlerAccounts } from './handler-accounts.ts';
import { type QueueClaim, unlimited } from './queue-budget.ts';
import { REFUSE_FROM, TrafficGate } from './traffic-gate.ts';

export interface OverflowOptions {
  readonly settings: Pick<AuditHandlerSettings, 'queue' | 'spool' | 'whenFull'>;
  readonly accounts: HandlerAccounts;
  readonly log: Logger;
  refuse(refuses: boolean): void;
  /** The spool is open: the accounts go on with the totals that are beside it. */
  spoolOpened?(directory: string): void;
  /** Events may be delivered now, or another handler waits for the spool. */
  turned?(): void;
  /** Milliseconds in which nothing is delivered because somebody else has the spool, whose events come first. */
  readonly spoolPatience?: number | undefined;
  /** Memory that the queue may use of that of its tenant; without it as much as its own limits allow. */
  readonly claim?: QueueClaim | undefined;
}

/** Milliseconds before a spool that could not be opened is tried again. */
const SPOOL_RETRY = 5000;
/** Longer than the lock of a killed process counts, and than a closed service delivers what it has. */
const SPOOL_PATIENCE = 35_000;
/** Bytes of events in memory that wait for the spool, whatever the limits of the queue. */
const MOST_AHEAD = 16 << 20;
/** Room in the memory of a tenant that is left for events of requests under way, in bytes. */
const LAST_ROOM = 1 << 20;
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
  private readonly unavailable: PacedWarning;
  private readonly options: OverflowOptions;
  private queue = new EventQueue();
  private settings: OverflowOptions['settings'];
  private spool: Spool | null = null;
  private spoolRetryAt = 0;
  /** Ends the wait for the spool, which is tried again at intervals. */
  private stopWaiting: (() => void) | null = null;
  /** Until when nothing is delivered, because somebody else has the spool. */
  private patienceEnds = 0;
  private hasBegun = false;
  private readonly claim: QueueClaim;
  private readonly gate: TrafficGate;
  /** Events that a writer thread held when it died: in memory, or in the spool that is not open yet. */
  private unaccounted: number;
  private hasClosed = false;

  constructor(options: OverflowOptions) {
    const { settings, accounts, log } = options;
    this.options = options;
    this.claim = options.claim ?? unlimited;
    this.settings = settings;
    this.accounts = accounts;
    this.log = log;
    this.gate = new TrafficGate((refuses) => options.refuse(refuses), log);
    this.unavailable = new PacedWarning(log, 'audit spool not available; events wait in memory', {
      most: 1,
      interval: 60_000,
    });
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

  /** True if events may be delivered: those in a spool that somebody else has come before them. */
  get isReady(): boolean {
    return this.spool !== null || performance.now() >= this.patienceEnds;
  }

  /** True while another handler waits for the spool, whose events it will deliver. */
  get isAwaited(): boolean {
    return this.spool !== null && spoolTurns.isAwaited(this.settings.spool!.directory);
  }

  private get isSpooling(): boolean {
    return this.spool !== null && this.spool.waiting > 0;
  }

  limit(settings: OverflowOptions['settings']): void {
    this.settings = { ...settings, spool: this.settings.spool };
    this.judge();
  }

  /** Takes an event, or drops and counts it. @returns whether the event itself is held, and not a copy of it */
  add(event: AuditEvent): boolean {
    this.accounts.emit(1);
    if (this.isClosed) this.drop('closed', 1);
    else if (!this.isSpooling && this.hasRoomFor(event)) {
      const kept = this.kept(event);
      this.queue.push({ event: kept, spooled: null });
      this.claim.use(this.queue.length, this.queue.bytes);
      return kept === event;
    } else this.overflow(event);
    return false;
  }

  /** Counts events that were lost before they came here. */
  lose(reason: DropReason, events: number): void {
    this.accounts.emit(events);
    this.drop(reason, events);
  }

  private hasRoomFor(event: AuditEvent): boolean {
    const { maxEvents, maxBytes } = this.settings.queue;
    if (!this.claim.hasRoomFor(event.size)) return false;
    const { spool } = this.settings;
    // in the place of the spool, which is about to be free
    if (spool !== null && !this.isReady) {
      return this.queue.bytes + event.size <= Math.max(maxBytes, Math.min(spool.maxSize, MOST_AHEAD));
    }
    return this.queue.length === 0 || (this.queue.length < maxEvents && this.queue.bytes + event.size <= maxBytes);
  }

  /**
   * What the queue holds of an event. One that is admitted into a queue that is often full lies between events that are
   * not, whose memory it must not hold.
   */
  private kept(event: AuditEvent): AuditEvent {
    const { maxEvents, maxBytes } = this.settings.queue;
    return this.queue.length * 2 < maxEvents && this.queue.bytes * 2 < maxBytes ? event : event.alone();
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
    this.hasBegun = true;
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
    this.claim.use(this.queue.length, this.queue.bytes);
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
    if (this.queue.length > 0) this.openSpool();
    this.stopWaiting?.();
    const { spool } = this;
    if (spool !== null && this.queue.length > 0) {
      try {
        if (!this.isSpooling) this.spoolQueue(spool);
        else if (!this.queue.isSpooled) this.appendQueue(spool);
      } catch (error) {
        this.drop('spool-failed', 0, error);
      }
    }
    const left = this.accounts.waiting;
    const spooled = spool?.waiting ?? 0;
    if (left > spooled) this.drop('closed', left - spooled);
    if (spooled > 0 && !this.isAwaited) {
      const { directory } = this.settings.spool!;
      this.log.warn(
        { directory, events: spooled },
        'audit events left in the spool for the next handler that opens it',
      );
    }
    this.spool = null;
    this.claim.end();
    this.gate.open();
    if (spool === null) return;
    await spool.close().catch((error: unknown) => {
      this.log.warn({ error: errorText(error) }, 'audit spool not closed');
    });
    spoolTurns.release(this.settings.spool!.directory);
  }

  private openSpool(): void {
    const { spool: options } = this.settings;
    if (options === null || this.spool !== null || performance.now() < this.spoolRetryAt) return;
    const { directory } = options;
    try {
      const spool = new Spool(options, () => this.accounts.totals());
      this.spool = spool;
      this.adopt(spool);
      if (!this.hasBegun && this.isSpooling && this.queue.length > 0) this.appendQueue(spool);
    } catch (error) {
      this.spoolRetryAt = performance.now() + SPOOL_RETRY;
      this.awaitSpool(directory, error);
      return;
    }
    this.stopWaiting?.();
    spoolTurns.hold(directory, () => this.options.turned?.());
    this.options.spoolOpened?.(directory);
  }

  /** Tries again at intervals, and as soon as another handler of this thread leaves the spool. */
  private awaitSpool(directory: string, error: unknown): void {
    const { spoolPatience = SPOOL_PATIENCE } = this.options;
    if (!this.isClosed && this.stopWaiting === null) {
      if (error instanceof SpoolTaken) this.patienceEnds = performance.now() + spoolPatience;
      const retry = (): void => {
        this.spoolRetryAt = 0;
        this.openSpool();
        this.judge();
        this.options.turned?.();
      };
      const timers = [setInterval(retry, SPOOL_RETRY), setTimeout(retry, spoolPatience)];
      for (const timer of timers) timer.unref();
      const leave = spoolTurns.wait(directory, retry);
      this.stopWaiting = () => {
        this.stopWaiting = null;
        for (const timer of timers) clearInterval(timer);
        leave();
      };
    }
    if (error instanceof SpoolTaken && performance.now() < this.patienceEnds)
      this.log.info({ directory, reason: errorText(error) }, 'audit spool in use; events wait until it is free');
    else this.unavailable.give({ directory, error: errorText(error) });
  }

  /** Has the spool hold what is in memory, behind the events that were found in it. */
  private appendQueue(spool: Spool): void {
    const events = [...this.queue].map(({ event }) => event);
    this.queue = new EventQueue();
    for (const event of events) {
      try {
        if (spool.append(event) === null) this.drop('spool-full', 1);
      } catch (error) {
        this.drop('spool-failed', 1 + (error instanceof FlushFailed ? error.events : 0), error);
      }
    }
    try {
      spool.flush();
    } catch (error) {
      this.drop('spool-failed', error instanceof FlushFailed ? error.events : 0, error);
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

  private judge(): void {
    if (this.settings.whenFull !== 'REFUSE_TRAFFIC' || this.isClosed) return;
    this.gate.judge(this.used(), this.accounts.waiting);
  }

  /** Part of the room that events use. */
  private used(): number {
    const { spool: options, queue } = this.settings;
    const isFull = !this.claim.hasRoomFor(Math.min(queue.maxBytes * (1 - REFUSE_FROM), LAST_ROOM));
    const ofLimits = Math.max(this.queue.length / queue.maxEvents, this.queue.bytes / queue.maxBytes);
    const inMemory = isFull && this.queue.length > 0 ? 1 : ofLimits;
    if (options === null || this.spool === null) return inMemory;
    return this.isSpooling ? this.spool.bytes / options.maxSize : 0;
  }
}
