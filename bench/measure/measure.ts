import { type Peer, type RunningPeer, startPeer } from '../peer.ts';
import type { Measurement } from '../results.ts';
import { type LoadProcess, type LoadResult, startLoad } from './load-process.ts';
import { cpuBetween, readCpu } from './measure-cpu.ts';
import { settledMemory } from './measure-memory.ts';
import { idleConnections, loadArguments, type Workload } from './workload.ts';

export type Cores = { load: number; proxy: number };
type Figures = Omit<Measurement, 'workload' | 'peer' | 'round' | 'busy'>;

/** Runs one workload once against a fresh process of one proxy. */
export async function measureOnce(peer: Peer, workload: Workload, cores: Cores, rate?: number): Promise<Figures> {
  const args = loadArguments(workload, peer.warmup, rate);
  const { driver } = workload;
  const load = await startLoad(cores.load, args, driver === undefined ? {} : { driver: driver.program });
  try {
    const proxy = await startPeer(peer, cores.proxy, load.backendPort);
    try {
      load.tell(`proxy ${proxy.port}`);
      await load.says('warm');
      return workload.kind === 'idle' ? await watchIdle(load, proxy) : await watchBusy(load, proxy);
    } finally {
      await load.stop(); // first, so that the proxy has nothing left to drain
      await proxy.stop();
    }
  } finally {
    await load.stop();
  }
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
