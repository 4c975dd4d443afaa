import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { AccessLog, type LineWriter } from './access-log.ts';
import { Backend } from './http/backend.ts';
import { countInto } from './http/counters.ts';
import type { Next } from './http/exchange.ts';
import { Listener } from './http/listener.ts';
import { setFaultHandler } from './http/turn.ts';
import { appendTo } from './log-destination.ts';
import type { UnitOptions, UnitOrder, UnitReport } from './unit-messages.ts';

/** One event loop of a plane: its own listener on the shared port, its own pool, its own log lines. */
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
  const backend = new Backend({
    destination: options.destination,
    connections: options.connections,
    responseTimeout: 60_000,
    upgrades: ['websocket'],
  });
  const log = options.log === 'off' ? null : new AccessLog(lineWriter(options.log, port, fault), options.unit);
  const listener = new Listener({
    ...(options.host === undefined ? {} : { host: options.host }),
    port: options.port,
    reusePort: true,
    limits: options.limits,
    trustedProxies: options.trustedProxies,
    handler: options.basePath === '' ? backend.handle : below(options.basePath, backend.handle),
    ...(log === null ? {} : { onFinished: (finished) => log.record(finished) }),
    onFault: fault,
  });
  const listening = listener.listen();
  port.on('message', async (order: UnitOrder) => {
    await listening.catch(() => {}); // a port that opened after the drain would stay open
    const cut = await listener.drain(order.timeout);
    backend.close();
    await log?.close();
    report({ kind: 'drained', cut, droppedLines: log?.dropped ?? 0 });
    port.close();
  });
  try {
    const address = await listening;
    report({ kind: 'listening', address: address.address, port: address.port });
  } catch (error) {
    report({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    port.close();
  }
}

function lineWriter(log: 'hand-over' | number, port: MessagePort, fault: (error: Error) => void): LineWriter {
  if (log !== 'hand-over') return appendTo(log, fault);
  return (lines, done) => {
    port.postMessage({ kind: 'log', lines: Uint8Array.from(lines) } satisfies UnitReport);
    done();
  };
}

/** Puts a base path before the path of every request. */
function below(basePath: string, next: Next): Next {
  return (exchange) => {
    const { uri } = exchange.request;
    if (uri.rawPath !== '*') uri.rawPath = basePath + uri.rawPath;
    return next(exchange);
  };
}

// Imported anywhere else this file does nothing: only the thread that a supervisor started for it runs a unit.
const data = workerData as UnitOptions | null;
if (!isMainThread && parentPort !== null && data?.role === 'gatewarden-unit') void runUnit(data, parentPort);
