import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { SharedFlight } from '../../../dataplane/openid/lifetime/shared-flight.ts';
import { RESULT_LIFETIME } from '../../../dataplane/openid/lifetime/shared-refreshes.ts';
import { SessionMemory } from '../../../dataplane/sessions/session-memory.ts';
import { SessionTable } from '../../../dataplane/sessions/session-table.ts';

export const FLIGHT_LIMITS = { sessions: 1000, bytes: 1 << 20 };
export const FLIGHT_BYTES = SessionMemory.bytes(FLIGHT_LIMITS);

/** What a test gives to the thread that runs this file. */
export interface FlightRace {
  readonly memory: SharedArrayBuffer;
  /** Two numbers: threads that are ready, which begin together, and questions that were asked. */
  readonly counts: SharedArrayBuffer;
  readonly threads: number;
  readonly flights: number;
  /** Whether questions are answered; otherwise the thread says when it has asked one. */
  readonly isAnswered: boolean;
}

/** The table of a thread. */
export function flightTable(memory: SharedArrayBuffer, now: () => number = Date.now): SessionTable {
  return new SessionTable(memory, FLIGHT_LIMITS, { idle: RESULT_LIFETIME, absolute: RESULT_LIFETIME }, now);
}

if (!isMainThread && parentPort !== null) {
  const { memory, counts: shared, threads, flights, isAnswered } = workerData as FlightRace;
  const counts = new Int32Array(shared);
  const table = flightTable(memory);
  Atomics.add(counts, 0, 1);
  Atomics.notify(counts, 0);
  for (let there = Atomics.load(counts, 0); there < threads; there = Atomics.load(counts, 0)) {
    Atomics.wait(counts, 0, there, 10_000);
  }
  const ask = async () => {
    const count = Atomics.add(counts, 1, 1);
    if (!isAnswered) {
      parentPort!.postMessage('asking');
      await new Promise(() => setInterval(() => {}, 60_000)); // lives until the test ends it
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
    return { kind: 'failed', until: count } as const;
  };
  const seen: unknown[] = [];
  for (let flight = 0; flight < flights; flight++) {
    const one = new SharedFlight(table, `flight ${flight}`, Date.now);
    const { state } = await one.run(
      ask,
      () => false,
      () => {},
    );
    seen.push(state);
  }
  parentPort.postMessage(seen);
}
