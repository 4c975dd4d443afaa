import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { HandlerAccounts } from '../../../dataplane/audit/writer/handler-accounts.ts';
import type { WriterReach } from '../../../dataplane/audit/writer/writer-messages.ts';
import { SupervisedAuditWriter } from '../../../dataplane/supervisor/audit-writer.ts';

export const REACH: WriterReach = { listeners: [], egress: [], forbidden: [], appPorts: [] };

/** Accounts of all handlers together. */
export interface AccountSum {
  readonly emitted: number;
  readonly delivered: number;
  readonly waiting: number;
  readonly dropped: number;
}

/** A supervisor of a real writer thread, and what it wrote. It ends with the test. */
export function supervised(reach: () => WriterReach | null = () => REACH) {
  const lines: string[] = [];
  const logged: string[] = [];
  const output = { isBroken: false };
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(line) });
  const writer = new SupervisedAuditWriter({
    log,
    logLevel: 'info',
    reach,
    writeLog: (line) => void logged.push(line),
    async writeStdout(text) {
      if (output.isBroken) throw new Error('EPIPE');
      lines.push(...Buffer.from(text).toString().trimEnd().split('\n'));
    },
  });
  onTestFinished(() => writer.drain(0));
  const accounts = (): HandlerAccounts | null => writer.figures[0]?.accounts ?? null;
  const sum = (): AccountSum => {
    const all = writer.figures.map((figures) => figures.accounts);
    const of = (value: (one: HandlerAccounts) => number): number => all.reduce((total, one) => total + value(one), 0);
    return {
      emitted: of(({ emitted }) => emitted),
      delivered: of(({ delivered }) => delivered),
      waiting: of(({ waiting }) => waiting),
      dropped: of(({ droppedInAll }) => droppedInAll),
    };
  };
  return { writer, lines, logged, output, accounts, sum };
}

/** Ids of the events in lines. */
export const ids = (lines: readonly string[]): number[] =>
  lines.map((line) => Number((JSON.parse(line) as { _id: string })._id));

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
