import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { LoggingProcess } from '../../test/support/gateways/logging-process.ts';
import { memoryOf, type ProcessMemory } from './process-memory.ts';

/** How long something idles before its memory is read, in milliseconds. */
const SETTLED = 8000;
const BETWEEN_QUESTIONS = 2;

/** A start of the program, from when the process was made. */
export interface StartUp {
  /** Milliseconds until it said that it is ready. */
  readonly ready: number;
  /** Milliseconds of processor time that it had used by then, on all threads. */
  readonly processor: number;
  readonly memory: ProcessMemory;
}

/** Waits until the admin port says ready, and then until the process has come to rest. @param settled in milliseconds */
export async function startUp(
  started: LoggingProcess,
  adminPort: number,
  begun: number,
  settled = SETTLED,
): Promise<StartUp> {
  const { pid } = started;
  while (!(await isReady(adminPort))) {
    refuseEnded(started);
    await pause(BETWEEN_QUESTIONS);
  }
  const ready = performance.now() - begun;
  const processor = processorTime(pid);
  await pause(settled);
  refuseEnded(started);
  return { ready, processor, memory: memoryOf(pid) };
}

function refuseEnded({ hasEnded, said }: LoggingProcess): void {
  if (hasEnded) throw new Error(`it ended: ${JSON.stringify(said.slice(-5))}`);
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

function processorTime(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return (
    tasks.reduce(
      (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
      0,
    ) / 1e6
  );
}
