import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** CPU time so far, in nanoseconds of one core. */
export type CpuReading = { at: number; proxy: number; load: number; harness: number; machine: number; steal: number };

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return otherwise; // the process or thread ended between listing and reading
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The process and everything it started, however deep. */
export function processTree(pid: number): number[] {
  const children = namesIn(`/proc/${pid}/task`).flatMap((thread) =>
    readOr(`/proc/${pid}/task/${thread}/children`, '')
      .split(' ')
      .filter((child) => child !== '')
      .map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}

/** On-CPU time of all threads of these processes, as the scheduler counts it rather than by sampling. */
function onCpu(pids: readonly number[]): number {
  let sum = 0;
  for (const pid of pids) {
    for (const thread of namesIn(`/proc/${pid}/task`)) {
      sum += Number(readOr(`/proc/${pid}/task/${thread}/schedstat`, '0').split(' ')[0]);
    }
  }
  return sum;
}

const nanosecondsPerTick = 1e7; // USER_HZ is 100 wherever Linux runs

/** Time of children that have ended: they are no longer in the tree. */
function ofEnded(pid: number): number {
  const stat = readOr(`/proc/${pid}/stat`, '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) * nanosecondsPerTick;
}

/** Time the machine was busy and time its host kept from it, over all cores. */
function machineTime(): { machine: number; steal: number } {
  const fields = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]?.split(/\s+/).slice(1).map(Number) ?? [];
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
  return { machine: (user + nice + system + irq + softirq) * nanosecondsPerTick, steal: steal * nanosecondsPerTick };
}

export function readCpu(proxy: number, load: number): CpuReading {
  return {
    at: Number(process.hrtime.bigint()),
    proxy: onCpu(processTree(proxy)),
    load: onCpu(processTree(load)) + ofEnded(load),
    harness: onCpu([process.pid]),
    ...machineTime(),
  };
}

/** What passed between two readings; `foreign` is the share of one core that went to others or was stolen. */
export type CpuWindow = { proxyNs: number; proxyShare: number; loadShare: number; foreign: number };

export function cpuBetween(before: CpuReading, after: CpuReading): CpuWindow {
  const wall = after.at - before.at;
  const proxy = after.proxy - before.proxy;
  const load = after.load - before.load;
  const ours = proxy + load + after.harness - before.harness;
  const others = after.machine - before.machine - ours;
  return {
    proxyNs: proxy,
    proxyShare: proxy / wall,
    loadShare: load / wall,
    foreign: Math.max(0, others + after.steal - before.steal) / wall,
  };
}

/** Waits until others leave the machine alone for a second, but not for long. */
export async function quietMachine(tolerated: number): Promise<void> {
  for (let tries = 0; tries < 10; tries++) {
    const before = readCpu(process.pid, process.pid);
    await sleep(1000);
    if (cpuBetween(before, readCpu(process.pid, process.pid)).foreign <= tolerated) return;
  }
}
