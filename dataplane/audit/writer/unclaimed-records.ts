import type { Logger } from 'pino';
import { errorStack } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { HandlerAccounts } from './handler-accounts.ts';

/** Records of rings that no handler got: of a service or topic that the writer does not know, or that it failed to take. */
export class UnclaimedRecords {
  private readonly open: () => HandlerAccounts;
  private readonly strangers: PacedWarning;
  private readonly failures: PacedWarning;
  private accounts: HandlerAccounts | null = null;

  /** @param open opens the accounts, whose labels are empty, once there is something to count */
  constructor(log: Logger, open: () => HandlerAccounts) {
    this.open = open;
    const pace = { most: 1, interval: 60_000 };
    this.strangers = new PacedWarning(log, 'audit event of an unknown service or topic dropped', pace);
    this.failures = new PacedWarning(log, 'audit writer failed to read events; it skips one and goes on', pace);
  }

  /** A record names a service or a topic that there is not. */
  unknown(unit: number, service: number, topic: number): void {
    this.count();
    this.strangers.give({ unit, number: service, topic });
  }

  /** The reader of a ring failed and skipped so many records. */
  failed(unit: number, error: unknown, skipped: number): void {
    if (skipped > 0) this.count();
    this.failures.give({ unit, error: errorStack(error) });
  }

  private count(): void {
    this.accounts ??= this.open();
    this.accounts.emit(1);
    this.accounts.drop('failed', 1);
  }
}
