import { readFileSync } from 'node:fs';

/** Memory of a process, in megabytes. */
export interface ProcessMemory {
  /** All of it that is in memory, with the pages of files that other processes share. */
  readonly resident: number;
  /** What only this process has: one more of its kind costs as much again. */
  readonly own: number;
  /** Its own memory, and its share of pages that several processes have. */
  readonly proportional: number;
}

export function memoryOf(pid: number): ProcessMemory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const megabytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1000;
  return { resident: megabytes('Rss'), own: megabytes('Anonymous'), proportional: megabytes('Pss') };
}
