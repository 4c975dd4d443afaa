import { setFlagsFromString } from 'node:v8';
import { type MessagePort, Worker } from 'node:worker_threads';
import type { SpareUnitOptions, UnitOptions } from './unit-messages.ts';

/**
 * Has V8 compile a place in the code for up to so many kinds of objects that meet there. Its own limit of 4 is too low for
 * texts: a constant, a slice, a sum and a text from elsewhere are of different kinds, and every `length` and `charCodeAt` of
 * the request path would become a search in a table.
 */
const KINDS_COMPILED_FOR = 12;

/** A thread that runs a unit. @param port what goes over to it */
export function unitWorker(workerData: UnitOptions | SpareUnitOptions, port: MessagePort): Worker {
  setFlagsFromString(`--max-valid-polymorphic-map-count=${KINDS_COMPILED_FOR}`); // for the whole process
  const name = workerData.role === 'gatewarden-unit' ? `unit ${workerData.unit}` : 'unit';
  return new Worker(new URL('./unit.ts', import.meta.url), { workerData, transferList: [port], name });
}
