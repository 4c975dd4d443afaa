import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { errorStack } from '../../../platform/error-text.ts';
import { lineLog } from '../../log/program-log.ts';
import { AuditWriter } from './audit-writer.ts';
import { sinks } from './sinks.ts';
import { WriterEgress } from './writer-egress.ts';
import type { WriterOptions, WriterOrder, WriterReport } from './writer-messages.ts';

/** Runs the audit writer of a plane until it is told to drain. */
function runWriter({ logLevel, accounts, reach }: WriterOptions, port: MessagePort): void {
  const report = (message: WriterReport): void => port.postMessage(message);
  const log = lineLog(logLevel, (line) => report({ kind: 'line', line }));
  // a promise that a sink forgot must not end the delivery of all others
  process.on('unhandledRejection', (error) => log.error({ error: errorStack(error) }, 'audit writer failed'));
  const written = new Map<number, (failure: string | null) => void>();
  let lastWrite = 0;
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
        report({ kind: 'stdout', number, lines: Uint8Array.from(lines) });
      });
    },
  });
  port.on('message', async (order: WriterOrder) => {
    if (order.kind === 'order') writer.take(order.unit, order.order);
    else if (order.kind === 'unit-gone') writer.unitGone(order.unit);
    else if (order.kind === 'reach') egress.set(order.reach);
    else if (order.kind === 'request') {
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
  });
}

// Imported anywhere else this file does nothing: only the thread that a supervisor started for it runs a writer.
const data = workerData as WriterOptions | null;
if (!isMainThread && parentPort !== null && data?.role === 'gatewarden-audit-writer') runWriter(data, parentPort);
