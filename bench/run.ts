/** `npm run bench`: measures the gateway beside its peers on this machine. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartOf } from './chart.ts';
import { goalsOf } from './goals.ts';
import { chooseCores, describeMachine } from './measure/machine.ts';
import { figure, mebibytes } from './measure/quantity.ts';
import { affordableRepetitions, runWorkload } from './measure/rounds.ts';
import { stopEverythingAtExit } from './measure/started-process.ts';
import { contenders, type Workload, workloads } from './measure/workload.ts';
import { type Options, readOptions, usage } from './options.ts';
import { out, repository } from './paths.ts';
import { peers, subjectOverride } from './peer-catalogue.ts';
import { reportOf } from './report.ts';
import { loadResults, type Results, saveResults } from './results.ts';
import { faultsOf, saveSoak, soak } from './soak.ts';
import { prepareTools } from './tools.ts';
import { transfer } from './transfer.ts';

async function measureAll(options: Options): Promise<Results> {
  const chosen = options.peers.filter((peer) => options.workloads.some((one) => contenders(one, [peer]).length > 0));
  await prepareTools(chosen);
  const results: Results = {
    startedAt: new Date().toISOString(),
    minutes: 0,
    machine: describeMachine(),
    standIn: subjectOverride() !== undefined,
    peers: chosen.map(({ name, title, version }) => ({ name, title, version: version() })),
    refused: 0,
    failures: [],
    measurements: [],
  };
  const roundsOf = (workload: Workload): number => options.rounds ?? workload.rounds;
  const planned = options.workloads.reduce((sum, one) => sum + roundsOf(one) * contenders(one, chosen).length, 0);
  const run = { results, peers: chosen, cores: chooseCores(), repetitions: affordableRepetitions(planned) };
  for (const workload of options.workloads) {
    await runWorkload(run, workload, roundsOf(workload));
    results.minutes = (Date.now() - Date.parse(results.startedAt)) / 60_000;
    saveResults(results);
  }
  return results;
}

function publish(results: Results, folder: string): void {
  writeFileSync(join(folder, 'benchmarks.md'), reportOf(results));
  const chart = chartOf(results);
  if (chart !== undefined) writeFileSync(join(folder, 'benchmarks.svg'), chart);
}

async function runSoak(options: Options): Promise<void> {
  const [peer] = options.peers;
  if (peer === undefined) return;
  await prepareTools([peer]);
  console.log(`${options.count.toLocaleString('en-US')} requests through ${peer.name}, every byte compared`);
  const result = await soak(peer, chooseCores(), options.count);
  const faults = faultsOf(result);
  console.log(
    `${result.requests} answered in ${Math.round(result.seconds)} s: ${faults.join(', ') || 'nothing wrong'}`,
  );
  if (peer.role === 'subject' && subjectOverride() === undefined) saveSoak(result);
  if (faults.length > 0) process.exitCode = 1;
}

async function runTransfer(options: Options): Promise<void> {
  const peer = options.peers.find(({ name }) => name === 'gatewarden-events');
  if (peer === undefined) return;
  await prepareTools([peer]);
  for (const { direction, gigabytes, seconds, lowest, highest } of await transfer(
    peer,
    chooseCores(),
    options.gigabytes,
  )) {
    const range = `${mebibytes(lowest)} to ${mebibytes(highest)}`;
    console.log(`${gigabytes} GB ${direction} in ${figure(seconds)} s: memory ${range}`);
  }
}

function refuseStandIn(standIn: boolean): void {
  if (standIn) throw new Error('a stand-in ran in the gateway’s place; docs/benchmarks.md is for the gateway itself');
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), workloads, peers);
  if (options.help) return console.log(usage);
  if (options.list) {
    for (const { name, title } of [...workloads, ...peers]) console.log(`${name.padEnd(24)}${title}`);
    return;
  }
  stopEverythingAtExit();
  if (options.soak) return runSoak(options);
  if (options.transfer) return runTransfer(options);
  if (options.write && !options.render) refuseStandIn(subjectOverride() !== undefined); // before minutes are spent
  const results = options.render ? loadResults() : await measureAll(options);
  publish(results, out);
  if (options.write) refuseStandIn(results.standIn);
  if (options.write) publish(results, join(repository, 'docs'));
  console.log('');
  for (const { figure, target, measured, reached } of goalsOf(results)) {
    if (reached !== undefined)
      console.log(`${reached ? '  reached  ' : '✗ missed   '} ${figure}: ${measured}, must be ${target}`);
  }
  console.log(`\nreport: ${options.write ? 'docs' : 'bench/out'}/benchmarks.md`);
}

main().catch((error: Error) => {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
});
