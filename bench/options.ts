import { parseArgs } from 'node:util';
import type { Workload } from './measure/workload.ts';
import type { Peer } from './peer.ts';

export const usage = `usage: npm run bench -- [options]

  (none)               every workload, about 80 minutes
  --quick              the main workload with 3 rounds, about 4 minutes
  --workload A,B       only these workloads
  --peers A,B          only these proxies
  --rounds N           rounds per workload
  --soak [--count N]   check every answer of 10 million requests instead of measuring
  --transfer [--gigabytes N]  memory while 5 GB pass down and up, instead
  --render             make the report again from the last results
  --write              put the report into docs/benchmarks.md and docs/benchmarks.svg
  --list               the names of workloads and proxies

GATEWARDEN_BENCH_SUBJECT='COMMAND with {listen} and {backend}' measures another program in the gateway's place.`;

export type Options = {
  quick: boolean;
  soak: boolean;
  transfer: boolean;
  gigabytes: number;
  render: boolean;
  write: boolean;
  list: boolean;
  help: boolean;
  workloads: Workload[];
  peers: Peer[];
  rounds: number | undefined;
  count: number;
};

function chosen<T extends { name: string }>(kind: string, all: readonly T[], names: string | undefined): T[] {
  if (names === undefined) return [...all];
  return names.split(',').map((name) => {
    const one = all.find((candidate) => candidate.name === name);
    if (one) return one;
    throw new Error(`no ${kind} '${name}'; there are ${all.map((candidate) => candidate.name).join(', ')}`);
  });
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} takes a positive number, not '${text}'`);
  return value;
}

export function readOptions(args: string[], workloads: readonly Workload[], peers: readonly Peer[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args,
    options: {
      quick: flag,
      soak: flag,
      transfer: flag,
      gigabytes: { type: 'string', default: '5' },
      render: flag,
      write: flag,
      list: flag,
      help: flag,
      workload: { type: 'string' },
      peers: { type: 'string' },
      rounds: { type: 'string' },
      count: { type: 'string', default: '10000000' },
    },
  });
  const { workload, rounds, count, gigabytes, peers: peerNames, ...flags } = values;
  return {
    ...flags,
    workloads: chosen('workload', workloads, workload ?? (flags.quick ? 'main' : undefined)),
    peers: chosen('proxy', peers, peerNames),
    rounds: rounds === undefined ? (flags.quick ? 3 : undefined) : positive('rounds', rounds),
    count: positive('count', count),
    gigabytes: positive('gigabytes', gigabytes),
  };
}
