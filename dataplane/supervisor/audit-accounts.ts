import type { Logger } from 'pino';
import { HandlerAccounts } from '../audit/writer/handler-accounts.ts';
import type { OpenAccounts } from '../audit/writer/writer-messages.ts';
import type { AuditFigures } from '../metrics/audit-exposition.ts';

/** Closed handlers of one service that have labels of their own. */
const MOST_OF_SERVICE = 32;
/** Closed handlers of all services that have labels of their own. */
const MOST_RETIRED = 1000;
const OTHER = 'other';

/**
 * Accounts of all handlers of the audit writer: of those that are open, and of those that were closed. An event is in one
 * of them at any time. Totals beside a spool are those of the handler that opened it last.
 */
export class AuditAccounts {
  private readonly log: Logger;
  /** By key, in the order in which they were opened. */
  private readonly known = new Map<string, OpenAccounts>();
  /** Keys of those that no unit holds any more. */
  private readonly leaving = new Set<string>();
  /** Directories of the spools whose totals are in accounts, by their key. */
  private readonly spools = new Map<string, string>();
  /** Accounts of closed handlers that are beside a spool which nobody opened since, by its directory. */
  private readonly stored = new Map<string, AuditFigures>();
  /** Totals of other handlers that are closed, by their labels. */
  private readonly retired = new Map<string, AuditFigures>();

  constructor(log: Logger) {
    this.log = log;
  }

  get figures(): AuditFigures[] {
    return [...this.retired.values(), ...this.stored.values(), ...this.open];
  }

  /** Accounts that the writer counts in. */
  get open(): AuditFigures[] {
    return [...this.known.values()].map(figuresOf);
  }

  opened(accounts: OpenAccounts): void {
    this.known.set(accounts.key, accounts);
  }

  /** The handler delivers what it has, and gets no more. */
  closing(key: string): void {
    if (this.known.has(key)) this.leaving.add(key);
  }

  /** The totals beside a spool are in these accounts now, and in no others. */
  spoolOpened(key: string, directory: string): void {
    this.stored.delete(directory);
    for (const [other, place] of this.spools) if (place === directory && other !== key) this.forget(other);
    this.spools.set(key, directory);
  }

  closed(key: string): void {
    const closed = this.known.get(key);
    const directory = this.spools.get(key);
    this.forget(key);
    if (closed === undefined) return;
    const figures = figuresOf(closed);
    if (directory !== undefined) this.stored.set(directory, figures);
    else this.retire(figures);
  }

  /**
   * Accounts for the writer that takes the place of one that died. Nobody goes on with those of handlers that it was
   * closing: their events are lost, or in a spool.
   *
   * @param identities of the services that the next writer will open
   */
  handOver(identities: ReadonlySet<string>): readonly OpenAccounts[] {
    const newest = new Map(
      [...this.known.values()].map(({ key, identity, handler }) => [JSON.stringify([identity, handler]), key]),
    );
    const kept = new Set(newest.values());
    for (const accounts of [...this.known.values()]) {
      const { key, identity } = accounts;
      const isOpened = identity === '' || (kept.has(key) && identities.has(identity) && !this.leaving.has(key));
      if (!isOpened) this.abandon(accounts);
    }
    return [...this.known.values()];
  }

  private abandon(abandoned: OpenAccounts): void {
    const { service, handler, accounts } = figuresOf(abandoned);
    const { waiting: events } = accounts;
    const directory = this.spools.get(abandoned.key);
    if (directory === undefined) accounts.drop('writer-restart', events);
    if (events > 0) {
      const fate = directory === undefined ? 'dropped' : 'left in its spool';
      this.log.warn(
        { service, handler, events, directory },
        `audit writer failed while it closed a handler; its events are ${fate}`,
      );
    }
    this.closed(abandoned.key);
  }

  private forget(key: string): void {
    this.known.delete(key);
    this.leaving.delete(key);
    this.spools.delete(key);
  }

  /**
   * Sums never go back: totals of a handler that is closed are kept under its labels. Where there are too many closed
   * handlers, those of more are kept under `other`, because a tenant can rename handlers as often as it likes.
   */
  private retire({ service, handler, accounts }: AuditFigures): void {
    const { labels, ...own } = this.labelsFor(service, handler);
    const kept = this.retired.get(labels) ?? { ...own, accounts: new HandlerAccounts() };
    kept.accounts.add(accounts.totals());
    this.retired.set(labels, kept);
  }

  private labelsFor(service: string, handler: string): RetiredLabels {
    const own = retiredLabels(service, handler);
    if (this.retired.has(own.labels)) return own;
    const all = [...this.retired.values()];
    const ofService = all.filter((one) => one.service === service).length;
    const folded = ofService < MOST_OF_SERVICE ? own : retiredLabels(service, OTHER);
    return this.retired.has(folded.labels) || all.length < MOST_RETIRED ? folded : retiredLabels(OTHER, OTHER);
  }
}

interface RetiredLabels extends Omit<AuditFigures, 'accounts'> {
  /** Key of the labels. */
  readonly labels: string;
}

function retiredLabels(service: string, handler: string): RetiredLabels {
  return { service, handler, labels: JSON.stringify([service, handler]) };
}

function figuresOf({ service, handler, buffer }: OpenAccounts): AuditFigures {
  return { service, handler, accounts: new HandlerAccounts(buffer) };
}
