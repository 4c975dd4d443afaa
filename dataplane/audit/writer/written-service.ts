import type { Logger } from 'pino';
import type { AuditState } from '../link/audit-state.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditHandlerSettings, AuditServiceSettings } from './audit-orders.ts';
import { type AuditAnswer, type AuditRequest, answered, refusedRequest } from './audit-request.ts';
import type { AuditSink } from './audit-sink.ts';
import { Delivery } from './delivery.ts';
import type { HandlerAccounts } from './handler-accounts.ts';

export interface WrittenServiceOptions {
  readonly settings: AuditServiceSettings;
  readonly log: Logger;
  accounts(handler: AuditHandlerSettings): HandlerAccounts;
  openSink(handler: AuditHandlerSettings): AuditSink;
}

/** An audit service in the writer, for all units that declare the same. */
export class WrittenService {
  readonly settings: AuditServiceSettings;
  readonly deliveries: readonly Delivery[];
  private readonly byTopic: ReadonlyMap<string, readonly Delivery[]>;
  /** Words shared with each unit that holds it. */
  private readonly states = new Set<AuditState>();
  private readonly refusing = new Set<string>();

  constructor({ settings, log, accounts, openSink }: WrittenServiceOptions) {
    this.settings = settings;
    this.deliveries = settings.handlers.map(
      (handler) =>
        new Delivery({
          settings: handler,
          service: settings.name,
          accounts: accounts(handler),
          log,
          openSink,
          refuse: (refuses) => this.refuse(handler.name, refuses),
        }),
    );
    this.byTopic = new Map(
      settings.topics.map((topic) => [topic, this.deliveries.filter((one) => one.settings.topics.includes(topic))]),
    );
  }

  /** Whether a unit holds it. */
  get isHeld(): boolean {
    return this.states.size > 0;
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
      if (delivery !== undefined && JSON.stringify(delivery.settings) !== JSON.stringify(handler)) {
        delivery.replace(handler);
      }
    }
  }

  /** @returns false where no handler has the topic */
  offer(event: AuditEvent): boolean {
    const deliveries = this.byTopic.get(event.topic);
    if (deliveries === undefined) return false;
    for (const delivery of deliveries) delivery.offer(event);
    return true;
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
    for (const delivery of this.deliveries) delivery.flush();
  }

  /** Counts the events that a unit could not write. */
  countUnwritten(state: AuditState): void {
    for (const [at, topic] of this.settings.topics.entries()) {
      const { full, tooLarge, ofRefused } = state.take(at);
      if (full === 0 && tooLarge === 0 && ofRefused === 0) continue;
      for (const delivery of this.byTopic.get(topic) ?? []) {
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

  /** Delivers within so many milliseconds what waits, then stops. */
  async close(timeout: number): Promise<void> {
    const until = performance.now() + timeout;
    await Promise.all(
      this.deliveries.map(async (delivery) => {
        await delivery.drain(timeout);
        await delivery.close(Math.max(0, until - performance.now()));
      }),
    );
  }
}
