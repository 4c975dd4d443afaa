import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { errorStack } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import { lineLog } from '../../log/program-log.ts';
import { giveBackAtRest } from '../../supervisor/spare-memory.ts';
import { AuditWriter } from './audit-writer.ts';
import { LoadedSinks } from './sinks.ts';
import { WriterEgress } from './writer-egress.ts';
import type { WriterOptions, WriterOrder, WriterReport } from './writer-messages.ts';

/** A destination that causes them could fill the log. */
const FAILURE_PACE = { most: 10, interval: 60_000 };

/** Runs the audit writer of a plane until it is told to drain. */
function runWriter({ logLevel, accounts, reach }: WriterOptions, port: MessagePort): void {
  const report = (message: WriterReport): void => port.postMessage(message);
  const log = lineLog(logLevel, (line) => report({ kind: 'line', line }));
  // Sinks share no state with each other, so that a promise or an exception that one of them let go leaves the others
  // whole. A batch that it belonged to ends by the time limit of its sink, and is delivered again.
  const failures = new PacedWarning(log, 'audit handler failed unexpectedly; the others go on', FAILURE_PACE);
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, (error: unknown) => failures.give({ error: errorStack(error) }));
  }
  const written = new Map<number, (failure: string | null) => void>();
  let lastWrite = 0;
  const sinks = new LoadedSinks();
  const egress = new WriterEgress(reach);
  const writer = new AuditWriter({
    log,
    sinks,
    egress,
    accounts,
    report,
    writeStdout(lines) {
      const number = ++lastWrite;
      return new Promise((resolve, reject) => {
        written.set(number, (failure) => (failure === null ? resolve() : reject(new Error(failure))));
        report({ kind: 'stdout', number, lines: new Uint8Array(lines) });
      });
    },
  });
  writer.limitTenants(reach.auditQueueBytes);
  giveBackAtRest();
  let turn = Promise.resolve();
  port.on('message', (order: WriterOrder) => {
    turn = turn.then(() => follow(order)); // orders stay in their order while sinks load
  });

  async function follow(order: WriterOrder): Promise<void> {
    if (order.kind === 'order' && order.order.kind === 'audit-open') {
      const { handlers } = order.order.settings;
      const failed = (error: unknown): void => failures.give({ error: errorStack(error) });
      await sinks.load(handlers.map(({ className }) => className)).catch(failed);
    }
    void obey(order); // a drain takes the orders that come meanwhile
  }

  async function obey(order: WriterOrder): Promise<void> {
    if (order.kind === 'order') writer.take(order.unit, order.order);
    else if (order.kind === 'unit-gone') writer.unitGone(order.unit);
    else if (order.kind === 'reach') {
      egress.set(order.reach);
      writer.limitTenants(order.reach.auditQueueBytes);
    } else if (order.kind === 'request') {
      const { number, identity, request } = order;
      report({ kind: 'answer', number, answer: await writer.answer(identity, request) });
    } else if (order.kind === 'stdout-written') {
      written.get(order.number)?.(order.failure);
      written.delete(order.number);
    } else {
      await writer.drain(order.timeout);
      report({ kind: 'drained' });
      port.close();
    }
  }
}

// Imported anywhere else this file does nothing: only the thread that a supervisor started for it runs a writer.
const data = workerData as WriterOptions | null;
if (!isMainThread && parentPort !== null && data?.role === 'gatewarden-audit-writer') runWriter(data, parentPort);
