import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { errorText } from '../../../platform/error-text.ts';
import { AuditState } from '../link/audit-state.ts';
import type { AuditHandlerSettings, AuditOrder, AuditServiceSettings } from './audit-orders.ts';
import { type AuditAnswer, type AuditRequest, refusedRequest } from './audit-request.ts';
import type { AuditSink, OpenSink } from './audit-sink.ts';
import { HandlerAccounts } from './handler-accounts.ts';
import { QueueBudget } from './queue-budget.ts';
import { RingReader } from './ring-reader.ts';
import { UnclaimedRecords } from './unclaimed-records.ts';
import type { WriterEgress } from './writer-egress.ts';
import type { OpenAccounts, WriterReport } from './writer-messages.ts';
import { WrittenService } from './written-service.ts';

export interface AuditWriterOptions {
  readonly log: Logger;
  readonly sinks: Pick<ReadonlyMap<string, OpenSink>, 'get'>;
  readonly egress: WriterEgress;
  /** Accounts of a writer that died. */
  readonly accounts: readonly OpenAccounts[];
  report(message: WriterReport): void;
  writeStdout(lines: Buffer): Promise<void>;
}

interface UnitServices {
  readonly unit: number;
  readonly reader: RingReader;
  readonly open: Map<number, { readonly service: WrittenService; readonly state: AuditState }>;
  highest: number;
}

/** Milliseconds in which a service that no unit holds delivers what it has. */
const CLOSE_TIME = 30_000;

/** The audit services of a plane: reads the rings of its units, and delivers to the handlers of each service. */
export class AuditWriter {
  private readonly options: AuditWriterOptions;
  private readonly units = new Map<number, UnitServices>();
  private readonly services = new Map<string, WrittenService>();
  /** Accounts of a writer that died, by identity and handler. */
  private readonly known: Map<string, OpenAccounts>;
  private readonly keys = new WeakMap<HandlerAccounts, string>();
  /** Services that no unit holds any more. */
  private readonly closing = new Set<WrittenService>();
  private readonly unclaimed: UnclaimedRecords;
  private readonly budget = new QueueBudget();
  private touched = new Set<WrittenService>();

  constructor(options: AuditWriterOptions) {
    this.options = options;
    this.known = new Map(options.accounts.map((accounts) => [ownerOf(accounts), accounts]));
    this.unclaimed = new UnclaimedRecords(options.log, () => this.openAccounts('', '', ''));
  }

  /** Limits the memory for the queues of each tenant, in bytes; without a number to the usual size. */
  limitTenants(bytes: number | undefined): void {
    this.budget.limit(bytes);
  }

  take(unit: number, order: AuditOrder): void {
    if (order.kind === 'audit-open') this.open(unit, order);
    else this.close(unit, order.service);
  }

  private open(unit: number, order: Extract<AuditOrder, { kind: 'audit-open' }>): void {
    const { settings, service: number } = order;
    const own = this.units.get(unit) ?? this.openUnit(unit, order.ring);
    const service = this.services.get(settings.identity) ?? this.openService(settings);
    service.replace(settings);
    if (own.open.has(number)) return;
    const state = new AuditState(settings.topics.length, order.state);
    service.hold(state);
    own.open.set(number, { service, state });
    own.highest = Math.max(own.highest, number);
  }

  private openUnit(unit: number, ring: SharedArrayBuffer): UnitServices {
    const open: UnitServices['open'] = new Map();
    const reader = new RingReader(ring, {
      take: (number, topic, bytes, start, end) => this.takeRecord(own, number, topic, bytes, start, end),
      taken: () => this.flush(),
      unwritten: () => this.countUnwritten(own),
      failed: (error, skipped) => this.unclaimed.failed(unit, error, skipped),
    });
    const own: UnitServices = { unit, reader, open, highest: -1 };
    this.units.set(unit, own);
    reader.start();
    return own;
  }

  private takeRecord(
    own: UnitServices,
    number: number,
    topic: number,
    bytes: Buffer,
    start: number,
    end: number,
  ): boolean {
    const found = own.open.get(number);
    // The order to open a service comes by another way than its records, and may be behind them.
    if (found === undefined && number > own.highest) return false;
    if (found?.service.offer(topic, bytes, start, end) !== true) this.unclaimed.unknown(own.unit, number, topic);
    else this.touched.add(found.service);
    return true;
  }

  private countUnwritten({ open }: UnitServices): void {
    for (const { service, state } of open.values()) service.countUnwritten(state);
  }

  private flush(): void {
    const { touched } = this;
    this.touched = new Set();
    for (const service of touched) service.flush();
  }

  private openService(settings: AuditServiceSettings): WrittenService {
    const service = new WrittenService({
      settings,
      log: this.options.log,
      budget: this.budget,
      accounts: (handler) => this.accounts(settings, handler),
      openSink: (handler) => this.openSink(settings, handler),
      spoolOpened: (accounts, directory) =>
        this.options.report({ kind: 'spool-opened', key: this.keyOf(accounts), directory }),
    });
    this.services.set(settings.identity, service);
    return service;
  }

  private accounts({ identity, name: service }: AuditServiceSettings, { name }: AuditHandlerSettings): HandlerAccounts {
    return this.openAccounts(identity, service, name);
  }

  /** Accounts of a handler, those of a writer that died where it had some. */
  private openAccounts(identity: string, service: string, handler: string): HandlerAccounts {
    const owner = ownerOf({ identity, handler });
    const known = this.known.get(owner);
    this.known.delete(owner);
    const accounts = new HandlerAccounts(known?.buffer);
    const key = known?.key ?? randomUUID();
    this.keys.set(accounts, key);
    if (known === undefined) {
      this.options.report({ kind: 'accounts', accounts: { key, identity, service, handler, buffer: accounts.buffer } });
    }
    return accounts;
  }

  private keyOf(accounts: HandlerAccounts): string {
    return this.keys.get(accounts)!;
  }

  private openSink({ name: service, realm }: AuditServiceSettings, handler: AuditHandlerSettings): AuditSink {
    const { sinks, log, egress, writeStdout } = this.options;
    if (handler.unavailable !== undefined) throw new Error(handler.unavailable);
    const open = sinks.get(handler.className);
    if (open === undefined) throw new Error(`there is no audit event handler ${handler.className}`);
    return open(handler.options, {
      log: log.child({ service, handler: handler.name }),
      name: handler.name,
      service,
      realm,
      mayReach: egress.of(realm),
      writeStdout,
      now: () => Date.now(),
    });
  }

  private close(unit: number, number: number): void {
    const own = this.units.get(unit);
    // what the unit wrote before it closed the service is in the ring
    own?.reader.readAll();
    const found = own?.open.get(number);
    if (found !== undefined) {
      own!.open.delete(number);
      this.release(found.service, found.state);
    }
    this.options.report({ kind: 'service-closed', unit, service: number });
  }

  /** The unit has ended, however it ended. */
  unitGone(unit: number): void {
    const own = this.units.get(unit);
    if (own !== undefined) {
      own.highest = Number.POSITIVE_INFINITY; // no order of the unit can be behind its records any more
      own.reader.readAll();
      own.reader.close();
      this.units.delete(unit);
      for (const { service, state } of own.open.values()) this.release(service, state);
    }
    this.options.report({ kind: 'unit-closed', unit });
  }

  /** Answers a request to a service that is open. */
  async answer(identity: string, request: AuditRequest): Promise<AuditAnswer> {
    const service = this.services.get(identity);
    return service === undefined ? refusedRequest(404, 'the audit service is not open') : await service.answer(request);
  }

  private release(service: WrittenService, state: AuditState): void {
    service.release(state);
    if (service.isHeld) return;
    this.services.delete(service.settings.identity);
    for (const { accounts } of service.deliveries)
      this.options.report({ kind: 'accounts-closing', key: this.keyOf(accounts) });
    void this.closeService(service, CLOSE_TIME);
  }

  private async closeService(service: WrittenService, timeout: number): Promise<void> {
    try {
      this.closing.add(service);
      await service.close(timeout, ({ accounts }) =>
        this.options.report({ kind: 'accounts-closed', key: this.keyOf(accounts) }),
      );
    } catch (error) {
      this.options.log.error({ service: service.settings.name, error: errorText(error) }, 'audit service not closed');
    } finally {
      this.closing.delete(service);
    }
  }

  /** Delivers within so many milliseconds what there is, and closes everything. */
  async drain(timeout: number): Promise<void> {
    for (const own of this.units.values()) {
      own.highest = Number.POSITIVE_INFINITY;
      own.reader.readAll();
      this.countUnwritten(own);
      own.reader.close();
    }
    const services = [...this.services.values(), ...this.closing];
    this.services.clear();
    await Promise.all(services.map((service) => this.closeService(service, timeout)));
    for (const service of services) this.reportLeft(service);
  }

  private reportLeft({ settings: { name: service }, deliveries }: WrittenService): void {
    for (const { settings, accounts } of deliveries) {
      const { emitted, delivered, waiting: inSpool, droppedInAll: dropped } = accounts;
      if (inSpool === 0 && dropped === 0) continue;
      const droppedAtStop = accounts.dropped('closed');
      this.options.log.warn(
        { service, handler: settings.name, emitted, delivered, dropped, droppedAtStop, inSpool },
        'audit events not delivered before the stop',
      );
    }
  }
}

function ownerOf({ identity, handler }: Pick<OpenAccounts, 'identity' | 'handler'>): string {
  return JSON.stringify([identity, handler]);
}
