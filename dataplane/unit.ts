import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { AccessLog, type LineWriter } from './access-log.ts';
import { countInto } from './http/counters.ts';
import { Listener } from './http/listener.ts';
import { setFaultHandler } from './http/turn.ts';
import { appendTo } from './log-destination.ts';
import type { BuildProblem } from './routes/configuration.ts';
import type { UnitOptions, UnitOrder, UnitReport } from './unit-messages.ts';
import { unitTraffic } from './unit-traffic.ts';

/** One event loop of a plane: its own listener on the shared port, its own objects, its own log lines. */
async function runUnit(options: UnitOptions, port: MessagePort): Promise<void> {
  const report = (message: UnitReport): void => port.postMessage(message);
  const fault = (error: unknown): void =>
    report({ kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  countInto(options.counters);
  // a promise that a filter forgot belongs to one request; the connections of all others must not end with it
  process.on('unhandledRejection', fault);
  setFaultHandler((wire, error) => {
    fault(error);
    wire.owner.failed(); // what threw cannot be trusted to go on
  });
  const traffic = unitTraffic(options, port);
  if (options.admin !== null) traffic.listensAt(options.admin);
  const log = options.log === 'off' ? null : new AccessLog(lineWriter(options.log, port, fault), options.unit);
  const listener = new Listener({
    ...(options.host === undefined ? {} : { host: options.host }),
    port: options.port,
    reusePort: true,
    limits: options.limits,
    trustedProxies: options.trustedProxies,
    handler: traffic.handle,
    ...(log === null ? {} : { onFinished: (finished) => log.record(finished) }),
    onFault: fault,
  });
  const listening = listener.listen();
  port.on('message', async (order: UnitOrder) => {
    if (order.kind === 'update') {
      try {
        report({ kind: 'applied', order: order.order, problems: traffic.update(order) });
      } catch (error) {
        fault(error);
        report({ kind: 'applied', order: order.order, problems: [unbuilt(error)] });
      }
      return;
    }
    await listening.catch(() => {}); // a port that opened after the drain would stay open
    const cut = await listener.drain(order.timeout);
    traffic.close();
    await log?.close();
    report({ kind: 'drained', cut, droppedLines: log?.dropped ?? 0 });
    port.close();
  });
  try {
    const address = await listening;
    traffic.listensAt(address);
    report({ kind: 'listening', address: address.address, port: address.port, problems: traffic.problems });
  } catch (error) {
    report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    port.close();
  }
}

/** What runs goes on running when a change cannot even be tried. */
function unbuilt(error: unknown): BuildProblem {
  const message = error instanceof Error ? error.message : String(error);
  const problem = { code: 'build', severity: 'error', path: [], message } as const;
  return { route: null, problems: [problem], keepsServing: true };
}

function lineWriter(log: 'hand-over' | number, port: MessagePort, fault: (error: Error) => void): LineWriter {
  if (log !== 'hand-over') return appendTo(log, fault);
  return (lines, done) => {
    port.postMessage({ kind: 'log', lines: Uint8Array.from(lines) } satisfies UnitReport);
    done();
  };
}

// Imported anywhere else this file does nothing: only the thread that a supervisor started for it runs a unit.
const data = workerData as UnitOptions | null;
if (!isMainThread && parentPort !== null && data?.role === 'gatewarden-unit') void runUnit(data, parentPort);
