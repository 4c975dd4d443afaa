import { type MessagePort, Worker } from 'node:worker_threads';
import type { RunningUnit, UnitEvents } from './running-unit.ts';
import type { SpareUnitOptions, UnitOrder, UnitReport, WorkerUnitOptions } from './unit-messages.ts';

/** A thread that runs a unit. @param port what goes over to it */
export function unitWorker(workerData: WorkerUnitOptions | SpareUnitOptions, port: MessagePort): Worker {
  const name = workerData.role === 'gatewarden-unit' ? `unit ${workerData.unit}` : 'unit';
  return new Worker(new URL('./unit.ts', import.meta.url), { workerData, transferList: [port], name });
}

/** The unit that runs in a thread. */
export function unitOf(worker: Worker, events: UnitEvents): RunningUnit {
  worker.on('message', (report: UnitReport) => events.reported(report));
  worker.on('error', (error: Error) => events.failed(error));
  worker.on('exit', () => events.gone());
  return {
    hasOwnThread: true,
    tell: (order: UnitOrder) => worker.postMessage(order),
    async end() {
      await worker.terminate();
    },
  };
}
