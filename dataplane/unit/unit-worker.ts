import { type MessagePort, Worker } from 'node:worker_threads';
import type { SpareUnitOptions, UnitOptions } from './unit-messages.ts';

/** A thread that runs a unit. @param port what goes over to it */
export function unitWorker(workerData: UnitOptions | SpareUnitOptions, port: MessagePort): Worker {
  const name = workerData.role === 'gatewarden-unit' ? `unit ${workerData.unit}` : 'unit';
  return new Worker(new URL('./unit.ts', import.meta.url), { workerData, transferList: [port], name });
}
