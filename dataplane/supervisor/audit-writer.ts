import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { pauseAfter } from '../../platform/back-off.ts';
import type { AuditOrder, AuditServiceSettings } from '../audit/writer/audit-orders.ts';
import { type AuditAnswer, type AuditRequest, refusedRequest } from '../audit/writer/audit-request.ts';
import type { WriterOptions, WriterOrder, WriterReach, WriterReport } from '../audit/writer/writer-messages.ts';
import type { LogLevel } from '../log/log-level.ts';
import type { AuditFigures } from '../metrics/audit-exposition.ts';
import { AuditAccounts } from './audit-accounts.ts';

export interface SupervisedAuditWriterOptions {
  readonly log: Logger;
  readonly logLevel: LogLevel;
  /** Null as long as it is not known: nothing is delivered before. */
  reach(): WriterReach | null;
  /** Writes a line of the program's log, which is JSON. */
  writeLog(line: string): void;
  /** Writes lines to the standard output. */
  writeStdout(lines: Uint8Array): Promise<void>;
}

/** What a unit has open in the writer. */
interface AuditedUnit {
  readonly number: number;
  /** By number of the service: the order that opened it, and whether it was closed since. */
  readonly services: Map<number, { open: AuditOrder; isClosed: boolean }>;
  isGone: boolean;
}

/** Milliseconds before a writer that died is started again; doubled each time. */
const BACK_OFF = { first: 100, longest: 10_000, jitter: 0.2 };
/** How long a writer must have run for the next pause to be a first one, in milliseconds. */
const STABLE = 60_000;
/** Most requests that wait for an answer. */
const MOST_ASKED = 32;
/** Milliseconds for a writer to end after its drain time. */
const GRACE = 2000;

/** Starts the audit writer when the first unit needs it, and another one when it dies. */
export class SupervisedAuditWriter {
  restarts = 0;
  private readonly options: SupervisedAuditWriterOptions;
  private readonly units = new Map<object, AuditedUnit>();
  private readonly accounts: AuditAccounts;
  private worker: Worker | null = null;
  private failures = 0;
  private lastUnit = 0;
  private isEnding = false;
  private drained: (() => void) | null = null;
  private lastAsked = 0;
  /** Requests that the writer has not answered yet. */
  private readonly asked = new Map<number, (answer: AuditAnswer) => void>();

  constructor(options: SupervisedAuditWriterOptions) {
    this.options = options;
    this.accounts = new AuditAccounts(options.log);
  }

  /** Accounts of all handlers, for the metrics. */
  get figures(): AuditFigures[] {
    return this.accounts.figures;
  }

  /** A unit opens or closes a service. @param unit the same object for the same unit */
  heard(unit: object, order: AuditOrder): void {
    const own = this.units.get(unit) ?? { number: ++this.lastUnit, services: new Map(), isGone: false };
    this.units.set(unit, own);
    const known = own.services.get(order.service);
    if (order.kind === 'audit-open') own.services.set(order.service, { open: order, isClosed: false });
    else if (known !== undefined) known.isClosed = true;
    if (this.worker === null) this.start();
    else this.tell({ kind: 'order', unit: own.number, order });
  }

  /** Names of the services that units have open. */
  get services(): readonly string[] {
    return [...new Set(this.openSettings().map(({ name }) => name))].sort();
  }

  /**
   * Asks an audit service, by its name. Never rejects.
   *
   * @param realm the tenant of the service; empty for operators
   */
  ask(service: string, realm: string, request: AuditRequest): Promise<AuditAnswer> {
    const found = this.openSettings().find((one) => one.name === service && one.realm === realm);
    if (found === undefined) return Promise.resolve(refusedRequest(404, `there is no audit service '${service}'`));
    if (this.worker === null) return Promise.resolve(refusedRequest(503, 'the audit writer does not run now'));
    if (this.asked.size >= MOST_ASKED) return Promise.resolve(refusedRequest(503, 'too many queries run at once'));
    const number = ++this.lastAsked;
    return new Promise((resolve) => {
      this.asked.set(number, resolve);
      this.tell({ kind: 'request', number, identity: found.identity, request });
    });
  }

  private openSettings(): AuditServiceSettings[] {
    return this.settings().flatMap(({ settings, isClosed }) => (isClosed ? [] : [settings]));
  }

  /** Identities of the services whose orders the next writer would get. */
  private identities(): ReadonlySet<string> {
    return new Set(this.settings().map(({ settings: { identity } }) => identity));
  }

  private settings(): { settings: AuditServiceSettings; isClosed: boolean }[] {
    const services = [...this.units.values()].flatMap((unit) => [...unit.services.values()]);
    return services.flatMap(({ open, isClosed }) =>
      open.kind === 'audit-open' ? [{ settings: open.settings, isClosed }] : [],
    );
  }

  private answerAll(answer: AuditAnswer): void {
    const waiting = [...this.asked.values()];
    this.asked.clear();
    for (const resolve of waiting) resolve(answer);
  }

  /** A unit has ended. Its ring is read to the end. */
  lost(unit: object): void {
    const own = this.units.get(unit);
    if (own === undefined) return;
    own.isGone = true;
    this.tell({ kind: 'unit-gone', unit: own.number });
  }

  /** Ends the writer, whose place another one takes. @returns false when there is none */
  replace(): boolean {
    void this.worker?.terminate();
    return this.worker !== null;
  }

  /** The addresses that sinks may connect to have changed. */
  reachChanged(): void {
    const reach = this.options.reach();
    if (reach === null) return;
    if (this.worker !== null) this.tell({ kind: 'reach', reach });
    else if (this.units.size > 0 && !this.isEnding) this.start();
  }

  /** Has the writer deliver what there is within so many milliseconds, and ends it. */
  async drain(timeout: number): Promise<void> {
    this.isEnding = true;
    const { worker } = this;
    if (worker === null) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.drained = resolve;
      timer = setTimeout(resolve, timeout + GRACE);
      this.tell({ kind: 'drain', timeout });
    });
    clearTimeout(timer);
    this.worker = null;
    await worker.terminate();
    this.reportWaiting();
  }

  /** Tells of events that a writer which did not end in time had; one that did has told it itself. */
  private reportWaiting(): void {
    for (const { service, handler, accounts } of this.accounts.open) {
      const { emitted, delivered, droppedInAll: dropped, waiting: left } = accounts;
      if (left === 0) continue;
      this.options.log.warn(
        { service, handler, emitted, delivered, dropped, left },
        'audit events not delivered before the stop',
      );
    }
  }

  private tell(order: WriterOrder): void {
    this.worker?.postMessage(order);
  }

  /** Starts the writer, unless it is not known yet what it may connect to. Units write to their rings meanwhile. */
  private start(): void {
    const { logLevel, log } = this.options;
    const reach = this.options.reach();
    if (reach === null) return;
    const workerData: WriterOptions = {
      role: 'gatewarden-audit-writer',
      logLevel,
      accounts: this.accounts.handOver(this.identities()),
      reach,
    };
    const url = new URL('../audit/writer/audit-writer-thread.ts', import.meta.url);
    const worker = new Worker(url, { workerData, name: 'audit writer' });
    const started = performance.now();
    this.worker = worker;
    worker.on('message', (report: WriterReport) => this.reported(report));
    worker.on('error', (error: Error) => log.error({ error: error.stack }, 'audit writer failed'));
    worker.on('exit', () => {
      if (this.worker === worker || this.isEnding) this.answerAll(refusedRequest(503, 'the audit writer ended'));
      this.drained?.();
      if (this.isEnding || this.worker !== worker) return;
      if (performance.now() - started > STABLE) this.failures = 0;
      this.restart();
    });
    for (const { number, services, isGone } of this.units.values()) {
      for (const [service, { open, isClosed }] of services) {
        this.tell({ kind: 'order', unit: number, order: open });
        if (isClosed) this.tell({ kind: 'order', unit: number, order: { kind: 'audit-close', service } });
      }
      if (isGone) this.tell({ kind: 'unit-gone', unit: number });
    }
  }

  /** Units go on writing to their rings meanwhile. Orders are kept, and the next writer gets all of them. */
  private restart(): void {
    this.restarts++;
    const delay = pauseAfter(this.failures++, BACK_OFF);
    this.options.log.error({ delay: Math.round(delay) }, 'audit writer exited; starting another one');
    const ended = this.worker;
    setTimeout(() => {
      if (!this.isEnding && this.worker === ended) this.start();
    }, delay);
  }

  private reported(report: WriterReport): void {
    if (report.kind === 'line') this.options.writeLog(report.line);
    else if (report.kind === 'stdout') void this.writeStdout(report.number, report.lines);
    else if (report.kind === 'accounts') this.accounts.opened(report.accounts);
    else if (report.kind === 'accounts-closing') this.accounts.closing(report.key);
    else if (report.kind === 'spool-opened') this.accounts.spoolOpened(report.key, report.directory);
    else if (report.kind === 'accounts-closed') this.accounts.closed(report.key);
    else if (report.kind === 'drained') this.drained?.();
    else if (report.kind === 'answer') this.heardAnswer(report.number, report.answer);
    else this.forget(report.unit, report.kind === 'unit-closed' ? null : report.service);
  }

  private heardAnswer(number: number, answer: AuditAnswer): void {
    const resolve = this.asked.get(number);
    this.asked.delete(number);
    resolve?.(answer);
  }

  private async writeStdout(number: number, lines: Uint8Array): Promise<void> {
    const failure = await this.options.writeStdout(lines).then(
      () => null,
      (error: unknown) => String(error),
    );
    this.tell({ kind: 'stdout-written', number, failure });
  }

  /** The writer has taken what the unit wrote, and would not need the order again. */
  private forget(unitNumber: number, service: number | null): void {
    for (const [unit, { number, services }] of this.units) {
      if (number !== unitNumber) continue;
      if (service === null) this.units.delete(unit);
      else services.delete(service);
    }
  }
}
