import { readFileSync } from 'node:fs';

/** Memory of a process, in megabytes. */
export interface ProcessMemory {
  /** All of it that is in memory, with the pages of files that other processes share. */
  readonly resident: number;
  /** What only this process has: one more of its kind costs as much again. */
  readonly own: number;
}

export function memoryOf(pid: number): ProcessMemory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1000;
  return { resident: megabytes('VmRSS'), own: megabytes('RssAnon') };
}
