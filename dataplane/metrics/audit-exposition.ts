import type { Registry } from 'prom-client';
import { DROP_REASONS, type HandlerAccounts } from '../audit/writer/handler-accounts.ts';
import { type Row, registerCounted } from './counted-metric.ts';

/** Accounts of an audit event handler, with its labels. */
export interface AuditFigures {
  readonly service: string;
  readonly handler: string;
  readonly accounts: HandlerAccounts;
}

/** Adds the accounts of audit events: emitted = delivered + dropped + waiting, for each handler. */
export function registerAuditMetrics(registry: Registry, figures: () => readonly AuditFigures[]): void {
  const rows = (value: (accounts: HandlerAccounts) => number): Row[] =>
    summed(
      figures().map(({ service, handler, accounts }) => ({ labels: { service, handler }, value: value(accounts) })),
    );
  registerCounted(registry, 'gw_audit_emitted_total', 'counter', 'Audit events for a handler.', () =>
    rows(({ emitted }) => emitted),
  );
  registerCounted(registry, 'gw_audit_delivered_total', 'counter', 'Audit events that the destination took.', () =>
    rows(({ delivered }) => delivered),
  );
  registerCounted(registry, 'gw_audit_dropped_total', 'counter', 'Audit events that were lost, by reason.', () =>
    summed(
      figures().flatMap(({ service, handler, accounts }) =>
        DROP_REASONS.map((reason) => ({ labels: { service, handler, reason }, value: accounts.dropped(reason) })),
      ),
    ),
  );
  registerCounted(registry, 'gw_audit_waiting', 'gauge', 'Audit events in memory or in the spool.', () =>
    rows(({ waiting }) => waiting),
  );
}

/** One row for equal labels: routes may declare services of the same name. */
function summed(rows: readonly Row[]): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify(row.labels);
    sums.set(key, { ...row, value: row.value + (sums.get(key)?.value ?? 0) });
  }
  return [...sums.values()];
}
