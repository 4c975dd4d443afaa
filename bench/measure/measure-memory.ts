import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processTree } from './measure-cpu.ts';

function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
  return Number(kibibytes ?? 0) * 1024;
}

/** Resident memory of the process and its children. */
export function residentMemory(pid: number): number {
  return processTree(pid).reduce((sum, member) => sum + residentBytes(member), 0);
}

/** Resident memory of the process and its children once it stays within one percent for a second. */
export async function settledMemory(pid: number): Promise<number> {
  let last = 0;
  for (let tries = 0; tries < 10; tries++) {
    const bytes = residentMemory(pid);
    if (Math.abs(bytes - last) < bytes / 100) return bytes;
    last = bytes;
    await sleep(1000);
  }
  return last;
}
