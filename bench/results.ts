import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './measure/machine.ts';
import { type Spread, spreadOf } from './measure/statistics.ts';
import { out, outFolder } from './paths.ts';

/** One fresh process of one proxy under one workload. Latencies in microseconds. */
export type Measurement = {
  workload: string;
  peer: string;
  round: number;
  /** Share of one core that others took meanwhile, and whether the machine was too busy even after repeating. */
  foreign: number;
  busy: boolean;
  requests: number;
  /** Share of the answers left out of the latencies, because the machine stopped the load program. */
  excluded: number;
  faults: number;
  cpuMicros: number;
  /** Shares of their core that proxy and load used. */
  proxyShare: number;
  loadShare: number;
  perSecond: number;
  p50: number;
  p99: number;
  p999: number;
  max: number;
  /** Resident bytes before and with the idle connections. */
  memory?: { before: number; after: number; perConnection: number };
};

export type Results = {
  startedAt: string;
  minutes: number;
  machine: Machine;
  /** Another program ran in the gateway's place, so none of this may be published as the gateway's. */
  standIn: boolean;
  /** Name, title and version of every proxy that ran. */
  peers: { name: string; title: string; version: string }[];
  rate?: number;
  refused: number;
  failures: string[];
  measurements: Measurement[];
};

const file = join(out, 'results.json');

export function saveResults(results: Results): void {
  outFolder();
  writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
}

export function loadResults(): Results {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Results;
  } catch {
    throw new Error('there are no results yet; run the bench first');
  }
}

type Figure = (measurement: Measurement) => number;

/** Those of a quiet machine, unless they are too few to say anything. */
export function measurementsOf(results: Results, workload: string, peer: string): Measurement[] {
  const all = results.measurements.filter((one) => one.workload === workload && one.peer === peer);
  const quiet = all.filter((one) => !one.busy);
  return quiet.length >= all.length / 2 ? quiet : all;
}

export function spread(results: Results, workload: string, peer: string, figure: Figure): Spread | undefined {
  return spreadOf(measurementsOf(results, workload, peer).map(figure));
}

/** How a figure of one proxy compares to another's: the ratio of each round, because rounds share their noise. */
export function ratio(
  results: Results,
  workload: string,
  peer: string,
  to: string,
  figure: Figure,
): Spread | undefined {
  const others = new Map(measurementsOf(results, workload, to).map((one) => [one.round, figure(one)]));
  return spreadOf(
    measurementsOf(results, workload, peer).flatMap((one) => {
      const other = others.get(one.round);
      return other === undefined || other === 0 ? [] : [figure(one) / other];
    }),
  );
}
