import type { Peer } from '../peer.ts';
import { type Measurement, measurementsOf, type Results } from '../results.ts';
import { keepSignatures, measureSignature, type SignatureCost } from '../signature-cost.ts';
import { type Cores, measureInTurns, measureOnce } from './measure.ts';
import { quietMachine } from './measure-cpu.ts';
import { kibibytes, micros, percent, perSecond } from './quantity.ts';
import { spreadOf } from './statistics.ts';
import { contenders, paceShare, type Workload } from './workload.ts';

/** Above this share of one core taken by others, a measurement is thrown away and repeated. */
export const tolerated = 0.08;
/** The same for the share of answers during which the machine stopped the load program. */
export const toleratedExclusion = 0.1;
const attempts = 3;

type Figures = Awaited<ReturnType<typeof measureOnce>>;

/** One run of the bench: what it measures, where, what it found so far, and how many repetitions it can still afford. */
export type Run = { results: Results; peers: readonly Peer[]; cores: Cores; repetitions: number };

function isBusy({ foreign, excluded }: Figures): boolean {
  return foreign > tolerated || excluded > toleratedExclusion;
}

/** Repeats a measurement while others keep the machine busy; settles for the quietest one after a few. */
async function measureQuietly(run: Run, measure: () => Promise<Figures>): Promise<Figures> {
  let quietest = await measure();
  for (let attempt = 1; attempt < attempts && run.repetitions > 0 && isBusy(quietest); attempt++) {
    run.repetitions--;
    run.results.refused++;
    await quietMachine(tolerated);
    const figures = await measure();
    if (figures.foreign + figures.excluded < quietest.foreign + quietest.excluded) quietest = figures;
  }
  return quietest;
}

function describe({ cpuMicros, perSecond: rate, p99, foreign, excluded, faults, memory }: Measurement): string {
  const figures = memory
    ? [`${kibibytes(memory.perConnection)} per connection`]
    : [`${micros(cpuMicros)} CPU per request`, perSecond(rate), `p99 ${micros(p99)}`];
  if (foreign > tolerated) figures.push(`others took ${percent(foreign)} of a core`);
  if (excluded > 0) figures.push(`${percent(excluded)} excluded`);
  if (faults > 0) figures.push(`${faults} faults`);
  return figures.join(', ');
}

/** The rate at which latency is compared: from the main workload of this run, or from three short looks. */
async function paceOf(run: Run, workload: Workload): Promise<number> {
  const { results, peers, cores } = run;
  const subject = peers.find(({ role }) => role === 'subject');
  if (subject === undefined) throw new Error('the rate comes from gatewarden, which is not among the proxies');
  const speeds = measurementsOf(results, 'main', subject.name).map((one) => one.perSecond);
  while (speeds.length < 3) {
    const saturated: Workload = { ...workload, kind: 'saturate', seconds: 2 };
    speeds.push((await measureQuietly(run, () => measureOnce(subject, saturated, cores))).perSecond);
  }
  return Math.round((spreadOf(speeds)?.median ?? 0) * paceShare);
}

async function measureTurn(run: Run, workload: Workload, peer: Peer, round: number, rate?: number): Promise<string> {
  const { results, cores } = run;
  return keep(
    results,
    workload,
    peer,
    round,
    await measureQuietly(run, () => measureOnce(peer, workload, cores, rate)),
  );
}

function keep(results: Results, workload: Workload, peer: Peer, round: number, figures: Figures): string {
  const measurement = { workload: workload.name, peer: peer.name, round, busy: isBusy(figures), ...figures };
  results.measurements.push(measurement);
  return describe(measurement);
}

/** One round in which all proxies take turns. */
async function measureRound(
  { results, cores }: Run,
  workload: Workload & { turns: number },
  peers: readonly Peer[],
  round: number,
): Promise<string[]> {
  await quietMachine(tolerated);
  const figures = await measureInTurns(peers, workload, cores, tolerated);
  return peers.map((peer, i) => `${peer.name.padEnd(23)}${keep(results, workload, peer, round, figures[i]!)}`);
}

/** A fraction of all measurements, so that a busy machine cannot stretch a run without end. */
export function affordableRepetitions(measurements: number): number {
  return Math.max(10, Math.ceil(measurements / 4));
}

/** All rounds of one workload, every proxy once per round, each time starting with another one. */
export async function runWorkload(run: Run, workload: Workload, rounds: number): Promise<void> {
  console.log(`\n${workload.title}`);
  const failed = (what: string) => (error: Error) => {
    run.results.failures.push(`${workload.name}, ${what}: ${error.message}`);
    return `failed: ${error.message}`;
  };
  const peers = contenders(workload, run.peers);
  const signed = workload.name.startsWith('cold-') ? workload.tokens : undefined;
  const signatures: SignatureCost[] = [];
  let rate: number | undefined;
  if (workload.kind === 'pace') {
    const pace = await paceOf(run, workload).catch(failed('choosing the rate'));
    console.log(typeof pace === 'string' ? `  ${pace}` : `  at ${perSecond(pace)}`);
    if (typeof pace === 'string') return;
    run.results.rate = rate = pace;
  }
  for (let round = 0; round < rounds; round++) {
    if (signed !== undefined) {
      const cost = measureSignature(signed.algorithm, signed.count, run.cores.proxy);
      signatures.push(cost);
      const text = `${micros(cost.system)} for a signature, ${micros(cost.node)} by crypto.verify`;
      console.log(`  ${round + 1}/${rounds}  ${'OpenSSL alone'.padEnd(23)}${text}`);
    }
    const { turns } = workload;
    if (turns !== undefined) {
      const lines = await measureRound(run, { ...workload, turns }, peers, round).catch(failed(`round ${round + 1}`));
      for (const line of [lines].flat()) console.log(`  ${round + 1}/${rounds}  ${line}`);
      continue;
    }
    for (let turn = 0; turn < peers.length; turn++) {
      const peer = peers[(turn + round) % peers.length] as Peer;
      const outcome = await measureTurn(run, workload, peer, round, rate).catch(
        failed(`${peer.name}, round ${round + 1}`),
      );
      console.log(`  ${round + 1}/${rounds}  ${peer.name.padEnd(23)}${outcome}`);
    }
  }
  if (signed !== undefined) keepSignatures(signed.algorithm, signatures);
}
