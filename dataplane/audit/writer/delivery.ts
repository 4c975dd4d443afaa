import type { Logger } from 'pino';
import { BackOff, type BackOffOptions } from '../../../platform/back-off.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { AuditQueries } from '../handlers/queries/audit-queries.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditHandlerSettings } from './audit-orders.ts';
import { type AuditSink, type RefusedEvent, Undelivered } from './audit-sink.ts';
import type { DropReason, HandlerAccounts } from './handler-accounts.ts';
import { Overflow } from './overflow.ts';
import type { QueueClaim } from './queue-budget.ts';

export interface DeliveryOptions {
  readonly settings: AuditHandlerSettings;
  readonly service: string;
  readonly accounts: HandlerAccounts;
  readonly log: Logger;
  /** Opens the sink of these settings. @throws Error that says why it cannot be opened */
  openSink(settings: AuditHandlerSettings): AuditSink;
  /** Requests are to be refused from now on, or not any more. */
  refuse(refuses: boolean): void;
  /** The spool is open: the accounts go on with the totals that are beside it. */
  spoolOpened?(directory: string): void;
  readonly backOff?: BackOffOptions;
  /** Memory that the queue may use of that of its tenant. */
  readonly claim?: QueueClaim;
  /** Milliseconds that events wait for those in a spool that somebody else has. */
  readonly spoolPatience?: number;
}

/** Longest pause between attempts while there is little time, in milliseconds. */
const DRAIN_PAUSE = 500;
/** Milliseconds for the batch that is under way while another handler waits for the spool. */
const HAND_OVER = 1000;
const BACK_OFF: BackOffOptions = { first: 200, longest: 30_000, jitter: 0.5 };

/** Delivers the events of one handler, one batch at a time, and tries for ever. */
export class Delivery {
  readonly accounts: HandlerAccounts;
  settings: AuditHandlerSettings;
  private readonly options: DeliveryOptions;
  private readonly held: Overflow;
  private readonly backOff: BackOff;
  private readonly failures: PacedWarning;
  private readonly refusals: PacedWarning;
  private readonly running: Promise<void>;
  private sink: AuditSink | null = null;
  private isOutdated = false;
  private isClosing = false;
  private isFailing = false;
  private isDraining = false;
  private isParked = false;
  /** Ends the wait for events or for the next attempt. */
  private wake: (() => void) | null = null;
  /** End the drains that are under way. */
  private readonly drains = new Set<() => void>();

  constructor(options: DeliveryOptions) {
    const { settings, accounts, service, log } = options;
    this.options = options;
    this.settings = settings;
    this.accounts = accounts;
    const own = log.child({ service, handler: settings.name });
    this.held = new Overflow({
      settings,
      accounts,
      log: own,
      refuse: (refuses) => options.refuse(refuses),
      spoolOpened: (directory) => options.spoolOpened?.(directory),
      turned: () => this.turned(),
      spoolPatience: options.spoolPatience,
      claim: options.claim,
    });
    this.backOff = new BackOff(options.backOff ?? BACK_OFF);
    this.failures = new PacedWarning(own, 'audit events not delivered, retrying', { most: 1, interval: 10_000 });
    this.refusals = new PacedWarning(own, 'audit event rejected by its destination', { most: 1, interval: 10_000 });
    this.running = this.run(own);
  }

  /** Reading side of the destination: null where it has none, undefined while it is not open. */
  get queries(): AuditQueries | null | undefined {
    return this.sink === null ? undefined : (this.sink.queries ?? null);
  }

  /** True without events, so that nobody reads the memory of those that it had. */
  get isIdle(): boolean {
    return this.held.isEmpty;
  }

  /** Takes an event. Call `flush` after the last of several. @returns whether it holds the event itself */
  offer(event: AuditEvent): boolean {
    return this.held.add(event);
  }

  /** Events that never reached the writer. */
  lost(reason: DropReason, count: number): void {
    if (count > 0) this.held.lose(reason, count);
  }

  /** Has the events that were offered delivered. */
  flush(): void {
    this.held.flush();
    if (this.isParked) this.wake?.();
  }

  /** Uses new settings from the next batch on; queue and accounts stay. */
  replace(settings: AuditHandlerSettings): void {
    this.settings = settings;
    this.held.limit(settings);
    this.isOutdated = true;
    this.wake?.();
  }

  /** Events that waited for the spool may go, or the spool is wanted and what is in it is left to the next handler. */
  private turned(): void {
    if (this.isParked) this.wake?.();
    if (this.held.isAwaited) this.endDrains();
  }

  private endDrains(): void {
    for (const end of this.drains) end();
    this.drains.clear();
  }

  /**
   * Resolves when nothing waits any more, or after so many milliseconds; at once where another handler waits for the
   * spool, and will deliver what is in it.
   */
  async drain(milliseconds: number): Promise<void> {
    if (this.held.isEmpty || this.held.isAwaited) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    const empty = new Promise<void>((resolve) => {
      this.drains.add(resolve);
    });
    this.isDraining = true;
    this.sink?.hurry?.();
    this.backOff.reset();
    this.wake?.(); // a destination that failed gets another chance now
    await Promise.race([empty, late]);
    clearTimeout(timer);
  }

  /**
   * Stops. Events that wait stay in the spool, or are dropped where there is none.
   *
   * @param patience milliseconds for the batch that is under way
   */
  async close(patience: number): Promise<void> {
    this.isClosing = true;
    this.wake?.();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.held.isAwaited ? Math.min(patience, HAND_OVER) : patience);
    });
    await Promise.race([this.running, late]);
    clearTimeout(timer);
    await this.held.close();
  }

  private async run(log: Logger): Promise<void> {
    await this.openAhead(log);
    while (!this.isClosing) {
      if (this.held.isEmpty) this.endDrains();
      if (this.held.isEmpty || !(this.held.isReady || this.isDraining)) {
        this.isParked = true;
        await this.pause(null);
        this.isParked = false;
      } else await this.deliverBatch();
    }
    await this.closeSink();
  }

  /** Connects while there are no events yet. */
  private async openAhead(log: Logger): Promise<void> {
    try {
      this.sink = this.options.openSink(this.settings);
      await this.sink.open?.();
    } catch (error) {
      log.warn({ error: errorText(error) }, 'audit destination not available yet; events wait');
    }
  }

  private async deliverBatch(): Promise<void> {
    try {
      if (this.isOutdated) await this.closeSink();
      this.isOutdated = false;
      this.sink ??= this.options.openSink(this.settings);
      const batch = this.held.batch(this.sink.batch);
      if (batch.length === 0) throw new Error('the spool returned no events');
      const refused = await this.sink.deliver(batch);
      if (this.isFailing) this.recovered();
      this.settle(batch.length, refused);
      this.backOff.reset();
    } catch (error) {
      if (error instanceof Undelivered && error.delivered > 0) {
        this.settle(error.delivered, error.refused);
        this.backOff.reset(); // the destination takes events, even if not all
      }
      this.isFailing = true;
      this.failures.give({ error: errorText(error), waiting: this.accounts.waiting });
      if (!this.isClosing)
        await this.pause(this.isDraining ? this.backOff.next(null, DRAIN_PAUSE) : this.backOff.next());
    }
  }

  private recovered(): void {
    const { service, log } = this.options;
    this.isFailing = false;
    log.info({ service, handler: this.settings.name }, 'audit events delivered again');
  }

  /** So many events at the beginning are safe, apart from the refused ones. */
  private settle(count: number, refused: readonly RefusedEvent[]): void {
    if (this.held.isClosed) return; // it came too late: these events are counted
    const dropped = refused.filter(({ at }) => at < count);
    for (const { reason } of dropped) this.refusals.give({ reason });
    this.accounts.drop('refused', dropped.length);
    this.accounts.deliver(count - dropped.length);
    this.held.shift(count);
  }

  /** Waits for `wake`, or so many milliseconds. */
  private async pause(milliseconds: number | null): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      if (milliseconds !== null) timer = setTimeout(resolve, milliseconds);
    });
    this.wake = null;
    clearTimeout(timer);
  }

  private async closeSink(): Promise<void> {
    const { sink } = this;
    this.sink = null;
    await sink?.close().catch(() => {}); // what it held is gone either way
  }
}
