import type { Logger } from 'pino';
import type { AuditState } from '../link/audit-state.ts';
import type { AuditHandlerSettings, AuditServiceSettings } from './audit-orders.ts';
import { type AuditAnswer, type AuditRequest, answered, refusedRequest } from './audit-request.ts';
import type { AuditSink } from './audit-sink.ts';
import { Delivery } from './delivery.ts';
import { EventBlocks } from './event-blocks.ts';
import type { HandlerAccounts } from './handler-accounts.ts';
import type { QueueBudget } from './queue-budget.ts';

export interface WrittenServiceOptions {
  readonly settings: AuditServiceSettings;
  readonly log: Logger;
  readonly budget: QueueBudget;
  accounts(handler: AuditHandlerSettings): HandlerAccounts;
  openSink(handler: AuditHandlerSettings): AuditSink;
  /** The spool of a handler is open, and its accounts go on with the totals that are beside it. */
  spoolOpened(accounts: HandlerAccounts, directory: string): void;
}

/** An audit service in the writer, for all units that declare the same. */
export class WrittenService {
  readonly settings: AuditServiceSettings;
  readonly deliveries: readonly Delivery[];
  /** In the order of the topics of the settings. */
  private readonly topics: readonly { readonly blocks: EventBlocks; readonly deliveries: readonly Delivery[] }[];
  /** Words shared with each unit that holds it. */
  private readonly states = new Set<AuditState>();
  private readonly refusing = new Set<string>();
  /** True if events were handed on since the last one was taken. */
  private isNewBatch = false;

  constructor({ settings, log, budget, accounts, openSink, spoolOpened }: WrittenServiceOptions) {
    this.settings = settings;
    this.deliveries = settings.handlers.map((handler) => {
      const own = accounts(handler);
      return new Delivery({
        settings: handler,
        service: settings.name,
        accounts: own,
        log,
        openSink,
        refuse: (refuses) => this.refuse(handler.name, refuses),
        spoolOpened: (directory) => spoolOpened(own, directory),
        claim: budget.claim(settings.realm),
      });
    });
    this.topics = settings.topics.map((topic) => ({
      blocks: new EventBlocks(topic),
      deliveries: this.deliveries.filter((one) => one.settings.topics.includes(topic)),
    }));
  }

  /** Whether a unit holds it. */
  get isHeld(): boolean {
    return this.states.size > 0;
  }

  /** Number of blocks of memory that are kept for its events. */
  get keptBlocks(): number {
    return this.topics.reduce((sum, { blocks }) => sum + blocks.kept, 0);
  }

  hold(state: AuditState): void {
    this.states.add(state);
    this.countUnwritten(state);
    state.refusesTraffic = this.refusing.size > 0;
  }

  release(state: AuditState): void {
    this.countUnwritten(state);
    this.states.delete(state);
  }

  /** New settings of the same identity. */
  replace({ handlers }: AuditServiceSettings): void {
    for (const handler of handlers) {
      const delivery = this.deliveries.find(({ settings }) => settings.name === handler.name);
      // another unit has its secrets already
      if (handler.unavailable !== undefined && delivery?.settings.unavailable === undefined) continue;
      if (delivery !== undefined && JSON.stringify(delivery.settings) !== JSON.stringify(handler)) {
        delivery.replace(handler);
      }
    }
  }

  /** Takes an event of the topic at a place. The bytes are copied. @returns false where there is no such topic */
  offer(place: number, bytes: Buffer, start: number, end: number): boolean {
    const topic = this.topics[place];
    if (topic === undefined) return false;
    if (this.isNewBatch) this.reuseBlocks();
    const event = topic.blocks.keep(bytes, start, end);
    let isHeld = false;
    for (const delivery of topic.deliveries) if (delivery.offer(event)) isHeld = true;
    // spooled or dropped by all: events that come while a destination is away must not cost memory
    if (!isHeld) topic.blocks.giveBack(event);
    return true;
  }

  /** Uses the memory of events again that all handlers have delivered. */
  private reuseBlocks(): void {
    this.isNewBatch = false;
    for (const { blocks, deliveries } of this.topics) if (deliveries.every(({ isIdle }) => isIdle)) blocks.reset();
  }

  /** Answers a request through the handler for queries. */
  async answer(request: AuditRequest): Promise<AuditAnswer> {
    const { name, queryHandler } = this.settings;
    if (queryHandler === null) {
      return refusedRequest(501, `the audit service ${name} has no handler for queries: set 'handlerForQueries'`);
    }
    const delivery = this.deliveries.find(({ settings }) => settings.name === queryHandler);
    if (delivery === undefined) {
      return refusedRequest(501, `the audit service ${name} has no enabled handler '${queryHandler}' for queries`);
    }
    const { queries } = delivery;
    if (queries === undefined) return refusedRequest(503, `the handler '${queryHandler}' is not available now`);
    if (queries === null) {
      const { className } = delivery.settings;
      return refusedRequest(501, `the handler '${queryHandler}' is a ${className}, which does not support queries`);
    }
    return await answered(queries, request);
  }

  /** Has the events delivered that were offered. */
  flush(): void {
    this.isNewBatch = true;
    for (const delivery of this.deliveries) delivery.flush();
  }

  /** Counts the events that a unit could not write. */
  countUnwritten(state: AuditState): void {
    for (const [at, { deliveries }] of this.topics.entries()) {
      const { full, tooLarge, ofRefused } = state.take(at);
      if (full === 0 && tooLarge === 0 && ofRefused === 0) continue;
      for (const delivery of deliveries) {
        delivery.lost('ring-full', full);
        delivery.lost('too-large', tooLarge);
        delivery.lost('traffic-refused', ofRefused);
      }
    }
  }

  private refuse(handler: string, refuses: boolean): void {
    if (refuses) this.refusing.add(handler);
    else this.refusing.delete(handler);
    for (const state of this.states) state.refusesTraffic = this.refusing.size > 0;
  }

  /** Delivers within so many milliseconds what waits, then stops. @param closed called for each handler that stopped */
  async close(timeout: number, closed: (delivery: Delivery) => void): Promise<void> {
    const until = performance.now() + timeout;
    await Promise.all(
      this.deliveries.map(async (delivery) => {
        await delivery.drain(timeout);
        await delivery.close(Math.max(0, until - performance.now()));
        closed(delivery);
      }),
    );
  }
}
