import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LoadResult, startLoad } from './measure/load-process.ts';
import type { Cores } from './measure/measure.ts';
import { figure } from './measure/quantity.ts';
import { out } from './paths.ts';
import { type Peer, startPeer } from './peer.ts';
import { headFile } from './request-head.ts';

export type SoakResult = { finishedAt: string; requests: number; seconds: number; faults: Record<string, number> };

/** Everything that went wrong, in words; empty when nothing did. */
export function faultsOf({ faults }: Pick<SoakResult, 'faults'>): string[] {
  return Object.entries(faults)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
}

/** Sends many requests of mixed lengths at mixed pipelining depths and compares every byte that comes back. */
export async function soak(peer: Peer, cores: Cores, count: number): Promise<SoakResult> {
  const args = [
    '--verify',
    '--head',
    headFile('verify'),
    '--connections',
    '64',
    '--depth',
    '16',
    '--count',
    `${count}`,
  ];
  const onProgress = (answered: number): void => console.log(`  ${figure(answered)} of ${figure(count)} answered`);
  const load = await startLoad(cores.load, args, { onProgress });
  try {
    // The log is written but not kept: ten million lines would fill gigabytes.
    const proxy = await startPeer(peer, cores.proxy, load.backendPort, { accessLog: '/dev/null' });
    try {
      load.tell(`proxy ${proxy.port}`);
      await load.says('warm');
      load.tell('go');
      return finished(await load.result());
    } finally {
      await load.stop();
      await proxy.stop();
    }
  } finally {
    await load.stop();
  }
}

function finished({ requests, seconds, faults }: LoadResult): SoakResult {
  return { finishedAt: new Date().toISOString(), requests, seconds, faults };
}

export function saveSoak(result: SoakResult): void {
  writeFileSync(join(out, 'soak.json'), `${JSON.stringify(result, null, 1)}\n`);
}
