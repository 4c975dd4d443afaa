import { readFileSync } from 'node:fs';

/** Seconds of processor time that a process has used, and its memory in bytes. */
export function usageOf(pid: number): { readonly cpu: number; readonly memory: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, memory: pages * 4096 };
}
