import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const interval = 50;

/**
 * Waits for the processes whose environment holds the marker to end, for `patience` milliseconds at most.
 * Ends those that did not and names them.
 */
export async function endSurvivors(marker: string, patience = 5000): Promise<string[]> {
  let found = processesWith(marker);
  for (let waited = 0; found.length > 0 && waited < patience; waited += interval) {
    await pause(interval);
    found = processesWith(marker);
  }
  for (const { pid } of found) process.kill(pid, 'SIGKILL');
  return found.map(({ pid, command }) => `process ${pid}: ${command}`);
}

/** Looks through /proc; on a system without it nothing is found. */
function processesWith(marker: string): { pid: number; command: string }[] {
  const found: { pid: number; command: string }[] = [];
  for (const pid of listDirectory('/proc').filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid || !readOrEmpty(`/proc/${pid}/environ`).split('\0').includes(marker)) continue;
    found.push({ pid: Number(pid), command: readOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() });
  }
  return found;
}

function listDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** A process may end, or belong to someone else, between being listed and being read. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
