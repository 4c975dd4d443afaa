import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bench, out, pinnedNode } from '../paths.ts';
import { startPinned, stop } from './started-process.ts';

/** What the load program says at the end of a run; latencies in microseconds. */
export type LoadResult = {
  requests: number;
  /** Answers left out of the latencies, because the load program itself was stopped while they were due. */
  excluded: number;
  seconds: number;
  p50: number;
  p99: number;
  p999: number;
  max: number;
  faults: Record<string, number>;
};

export type LoadProcess = {
  pid: number;
  backendPort: number;
  /** Resolves when the program says this word; lines of progress go to `onProgress` meanwhile. */
  says(word: string): Promise<string>;
  tell(line: string): void;
  result(): Promise<LoadResult>;
  stop(): Promise<void>;
};

/** Starts load generator and backend on their core and waits until the backend listens. */
export async function startLoad(
  core: number,
  args: readonly string[],
  { driver, onProgress = () => {} }: { driver?: string; onProgress?: (answered: number) => void } = {},
): Promise<LoadProcess> {
  const child = startPinned('load', core, [...program(driver), ...args]);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();

  async function says(word: string): Promise<string> {
    for (;;) {
      const { value: line, done } = await lines.next();
      if (done) throw new Error(`the load program ended before it said '${word}'; see bench/out/logs/load.log`);
      if (line.startsWith(word)) return line;
      if (line.startsWith('progress ')) onProgress(Number(line.slice(9)));
      else throw new Error(`the load program said '${line}' instead of '${word}'`);
    }
  }

  return {
    pid: child.pid,
    backendPort: Number((await says('backend ')).slice(8)),
    says,
    tell: (line) => child.stdin!.write(`${line}\n`),
    result: async () => JSON.parse(await says('{')) as LoadResult,
    stop: () => stop(child),
  };
}

function program(driver: string | undefined): string[] {
  return driver === undefined ? [join(out, 'load')] : [pinnedNode(), join(bench, 'drivers', `${driver}.ts`)];
}
