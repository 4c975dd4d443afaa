import { type Peer, type RunningPeer, startPeer } from '../peer.ts';
import type { Measurement } from '../results.ts';
import { type LoadProcess, type LoadResult, startLoad } from './load-process.ts';
import { cpuBetween, readCpu } from './measure-cpu.ts';
import { settledMemory } from './measure-memory.ts';
import { spreadOf } from './statistics.ts';
import { idleConnections, loadArguments, type Workload } from './workload.ts';

export type Cores = { load: number; proxy: number };
type Figures = Omit<Measurement, 'workload' | 'peer' | 'round' | 'busy'>;

/** A proxy under its own load, both warm. */
type Pair = { load: LoadProcess; proxy: RunningPeer; stop(): Promise<void> };

/** Runs one workload once against a fresh process of one proxy. */
export async function measureOnce(peer: Peer, workload: Workload, cores: Cores, rate?: number): Promise<Figures> {
  const { load, proxy, stop } = await startPair(peer, workload, cores, rate);
  try {
    return workload.kind === 'idle' ? await watchIdle(load, proxy) : await watchBusy(load, proxy);
  } finally {
    await stop();
  }
}

/**
 * Runs one workload against fresh processes of all proxies: each of them several times for a moment, in turn, while the
 * others wait. @returns medians of the moments in which nobody else used the machine, in the order of the proxies.
 */
export async function measureInTurns(
  peers: readonly Peer[],
  workload: Workload & { turns: number },
  cores: Cores,
  tolerated: number,
): Promise<Figures[]> {
  const pairs: Pair[] = [];
  try {
    for (const peer of peers) pairs.push(await startPair(peer, workload, cores));
    const moments: Figures[][] = pairs.map(() => []);
    for (let turn = 0; turn < workload.turns; turn++) {
      for (let i = 0; i < pairs.length; i++) {
        const at = (i + turn) % pairs.length;
        const { load, proxy } = pairs[at]!;
        moments[at]!.push(await watchBusy(load, proxy));
        await load.says('warm');
      }
    }
    return moments.map((all) => {
      const quiet = all.filter(({ foreign }) => foreign <= tolerated);
      return medianOf(quiet.length >= all.length / 2 ? quiet : all);
    });
  } finally {
    for (const { stop } of pairs) await stop();
  }
}

async function startPair(peer: Peer, workload: Workload, cores: Cores, rate?: number): Promise<Pair> {
  const args = loadArguments(workload, peer.warmup, rate);
  const { driver } = workload;
  const load = await startLoad(cores.load, args, driver === undefined ? {} : { driver: driver.program });
  try {
    const proxy = await startPeer(peer, cores.proxy, load.backendPort);
    const stop = async (): Promise<void> => {
      await load.stop(); // first, so that the proxy has nothing left to drain
      await proxy.stop();
    };
    try {
      load.tell(`proxy ${proxy.port}`);
      await load.says('warm');
      return { load, proxy, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    await load.stop();
    throw error;
  }
}

/** Sums of what is counted, medians of what is measured. */
function medianOf(moments: readonly Figures[]): Figures {
  const median = (figure: (one: Figures) => number): number => spreadOf(moments.map(figure))!.median;
  const sum = (figure: (one: Figures) => number): number => moments.reduce((all, one) => all + figure(one), 0);
  return {
    requests: sum(({ requests }) => requests),
    faults: sum(({ faults }) => faults),
    excluded: median(({ excluded }) => excluded),
    foreign: median(({ foreign }) => foreign),
    cpuMicros: median(({ cpuMicros }) => cpuMicros),
    proxyShare: median(({ proxyShare }) => proxyShare),
    loadShare: median(({ loadShare }) => loadShare),
    perSecond: median(({ perSecond }) => perSecond),
    p50: median(({ p50 }) => p50),
    p99: median(({ p99 }) => p99),
    p999: median(({ p999 }) => p999),
    max: Math.max(...moments.map(({ max }) => max)),
  };
}

/** The load pauses before and after, so both readings find an idle proxy and no request is counted by halves. */
async function watchBusy(load: LoadProcess, proxy: RunningPeer): Promise<Figures> {
  const before = readCpu(proxy.pid, load.pid);
  load.tell('go');
  const result = await load.result();
  const { proxyNs, ...shares } = cpuBetween(before, readCpu(proxy.pid, load.pid));
  return { ...figuresOf(result), ...shares, cpuMicros: proxyNs / 1000 / result.requests };
}

async function watchIdle(load: LoadProcess, proxy: RunningPeer): Promise<Figures> {
  const before = await settledMemory(proxy.pid);
  load.tell('go');
  await load.says('held');
  const after = await settledMemory(proxy.pid);
  load.tell('go');
  const result = await load.result();
  const memory = { before, after, perConnection: (after - before) / idleConnections };
  return { ...figuresOf(result), cpuMicros: 0, proxyShare: 0, loadShare: 0, foreign: 0, memory };
}

type Answers = Pick<Figures, 'requests' | 'excluded' | 'faults' | 'perSecond' | 'p50' | 'p99' | 'p999' | 'max'>;

function figuresOf({ requests, excluded, seconds, p50, p99, p999, max, faults }: LoadResult): Answers {
  return {
    requests,
    excluded: excluded / requests,
    faults: Object.values(faults).reduce((sum, count) => sum + count, 0),
    perSecond: requests / seconds,
    ...{ p50, p99, p999, max },
  };
}
