import { MessageChannel } from 'node:worker_threads';
import type { TakeMemory } from '../heap/shared-memory.ts';
import type { RunningUnit, UnitEvents } from './running-unit.ts';
import type { UnitOptions, UnitOrder, UnitReport } from './unit-messages.ts';

/** The engine has one set of counters and buffers for each thread, and so room for one unit. */
let isTaken = false;

/** Whether a unit can start in this thread. */
export function isThreadFree(): boolean {
  return !isTaken;
}

/** Loads what a unit in this thread needs that serves a configuration. */
export function loadUnit(): void {
  // what is wrong with it is told when it is needed
  Promise.all([import('./run-unit.ts'), import('./configured-traffic.ts')]).catch(() => {});
}

/**
 * Starts a unit in this thread, which saves the memory and the start of another one. Messages are copied and arrive in a
 * later turn, as they do between threads.
 */
export function startUnitHere(options: UnitOptions, memory: TakeMemory, events: UnitEvents): RunningUnit {
  isTaken = true;
  const { port1: own, port2: port } = new MessageChannel();
  const gone = Promise.withResolvers<void>();
  const failed = (error: Error): void => events.failed(error);
  own.on('message', (report: UnitReport) => events.reported(report));
  own.once('close', () => {
    isTaken = false;
    process.off('uncaughtException', failed);
    events.gone();
    gone.resolve();
  });
  process.on('uncaughtException', failed);
  void run();
  const tell = (order: UnitOrder): void => own.postMessage(order);
  return {
    hasOwnThread: false,
    tell,
    end() {
      tell({ kind: 'drain', timeout: 0 });
      return gone.promise;
    },
  };

  async function run(): Promise<void> {
    const copied = structuredClone(options);
    // loaded here and not at the top, so that a supervisor of several threads need not load the engine
    const { runUnit } = await import('./run-unit.ts');
    await runUnit(copied, port, memory);
  }
}
