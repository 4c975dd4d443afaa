import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

/** The machine as a reader must know it to judge the figures. */
export type Machine = {
  cpu: string;
  cores: number;
  virtual: boolean;
  memoryGiB: number;
  kernel: string;
  system: string;
};

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

export function describeMachine(): Machine {
  const cpuInfo = fileText('/proc/cpuinfo');
  return {
    cpu: /^model name\s*:\s*(.+)$/m.exec(cpuInfo)?.[1] ?? `${process.arch}, ${cpus()[0]?.model ?? 'unknown'}`,
    cores: cpus().length,
    virtual: /^flags\s*:.*\bhypervisor\b/m.test(cpuInfo),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    system: /^PRETTY_NAME="(.+)"$/m.exec(fileText('/etc/os-release'))?.[1] ?? 'unknown',
  };
}

function numbersIn(list: string): number[] {
  return list
    .trim()
    .split(',')
    .filter((range) => range !== '')
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
}

/** One core for load and backend, another for the proxy; never two threads of the same physical core. */
export function chooseCores(): { load: number; proxy: number } {
  const allowed = numbersIn(/^Cpus_allowed_list:\s*(.+)$/m.exec(fileText('/proc/self/status'))?.[1] ?? '0');
  const load = allowed[0] ?? 0;
  const siblings = numbersIn(fileText(`/sys/devices/system/cpu/cpu${load}/topology/thread_siblings_list`));
  const proxy = allowed.find((core) => core !== load && !siblings.includes(core)) ?? allowed[1];
  if (proxy === undefined) throw new Error('the bench needs two cores: one for the load, one for the proxy');
  return { load, proxy };
}
