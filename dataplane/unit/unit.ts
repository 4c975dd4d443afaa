import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { linkedMemory } from '../supervisor/shared-memory.ts';
import { runUnit } from './run-unit.ts';
import type { SpareUnitOptions, WorkerUnitOptions } from './unit-messages.ts';

function run(options: WorkerUnitOptions, port: MessagePort): void {
  void runUnit(options, port, linkedMemory(options.memory));
}

/** Loads what a unit needs that serves a configuration, and becomes one when it is told what to serve. */
function waitForOptions({ options }: SpareUnitOptions, port: MessagePort): void {
  options.once('message', (told: WorkerUnitOptions) => {
    options.close();
    run(told, port);
  });
  // what is wrong with it is told when it is needed
  import('./configured-traffic.ts').catch(() => {});
}

// Imported anywhere else this file does nothing: only the thread that a supervisor started for it runs a unit.
const data = workerData as WorkerUnitOptions | SpareUnitOptions | null;
if (!isMainThread && parentPort !== null) {
  if (data?.role === 'gatewarden-unit') run(data, parentPort);
  else if (data?.role === 'gatewarden-spare-unit') waitForOptions(data, parentPort);
}
