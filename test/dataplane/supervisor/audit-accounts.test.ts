import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { HandlerAccounts } from '../../../dataplane/audit/writer/handler-accounts.ts';
import { AuditAccounts } from '../../../dataplane/supervisor/audit-accounts.ts';

let last = 0;

/** Opens the accounts of a handler, counts one event in them, and closes them. */
function used(all: AuditAccounts, service: string, handler: string): void {
  const accounts = new HandlerAccounts();
  const key = `${++last}`;
  all.opened({ key, identity: service, service, handler, buffer: accounts.buffer });
  accounts.emit(1);
  accounts.deliver(1);
  all.closed(key);
}

const emitted = (all: AuditAccounts): number => all.figures.reduce((sum, { accounts }) => sum + accounts.emitted, 0);

describe('the accounts of closed audit handlers', () => {
  it('are kept under their labels, and those of a handler that was renamed often under `other`', () => {
    const all = new AuditAccounts(pino({ level: 'silent' }));
    for (let n = 0; n < 500; n++) used(all, 'tenant/audit', `handler-${n}`);
    used(all, 'main', 'files');
    used(all, 'main', 'files');
    used(all, 'tenant/audit', 'handler-3');

    const rows = new Map(all.figures.map(({ service, handler, accounts }) => [`${service} ${handler}`, accounts]));
    expect(rows.size).toBe(34);
    expect(rows.get('main files')?.emitted).toBe(2);
    expect(rows.get('tenant/audit handler-3')?.emitted).toBe(2);
    expect(rows.get('tenant/audit other')?.delivered).toBe(500 - 32);
    expect(emitted(all)).toBe(503);
  });

  it('have a bounded number of labels when a service is renamed often', () => {
    const all = new AuditAccounts(pino({ level: 'silent' }));
    for (let n = 0; n < 3000; n++) used(all, `tenant/audit-${n}`, 'files');

    expect(all.figures).toHaveLength(1001);
    expect(all.figures.find(({ service }) => service === 'other')?.accounts.emitted).toBe(2000);
    expect(emitted(all)).toBe(3000);
  });
});
