import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { SeenProofs } from '../../../dataplane/oauth2/seen-proofs.ts';

/** What a test gives to the thread that runs this file. */
export interface ProofRace {
  readonly memory: SharedArrayBuffer;
  /** One number: threads that are ready; they begin together. */
  readonly ready: SharedArrayBuffer;
  readonly threads: number;
  readonly proofs: number;
  readonly now: number;
}

if (!isMainThread && parentPort !== null) {
  const { memory, ready, threads, proofs, now } = workerData as ProofRace;
  const seen = new SeenProofs(memory);
  const count = new Int32Array(ready);
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
  for (let there = Atomics.load(count, 0); there < threads; there = Atomics.load(count, 0)) {
    Atomics.wait(count, 0, there, 10_000);
  }
  const own: number[] = [];
  for (let proof = 0; proof < proofs; proof++) if (seen.add(`proof ${proof}`, now, now + 60) === 'new') own.push(proof);
  parentPort.postMessage(own);
}
