import { goalsOf } from './goals.ts';
import { durationWithQuartiles, figure, mebibytes, micros, percent, withQuartiles } from './measure/quantity.ts';
import { tolerated } from './measure/rounds.ts';
import { spreadOf } from './measure/statistics.ts';
import { type Workload, workloads } from './measure/workload.ts';
import { type Measurement, measurementsOf, type Results, ratio, spread } from './results.ts';

type Row = readonly string[];

function table(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

function goalTable(results: Results): string {
  const verdicts = { true: 'reached', false: '**not reached**', undefined: '–' };
  const rows = goalsOf(results).map((goal) => [goal.figure, goal.target, goal.measured, verdicts[`${goal.reached}`]]);
  return table(['figure', 'must reach', 'measured', ''], rows);
}

function peersIn(results: Results, workload: Workload): Results['peers'] {
  return results.peers.filter(({ name }) => measurementsOf(results, workload.name, name).length > 0);
}

/** What the others are held against. */
function reference({ driver }: Workload): string {
  return driver?.peers.find((name) => /^(?:nginx|haproxy)/.test(name)) ?? 'nginx';
}

function busyTable(results: Results, workload: Workload): string {
  const rows = peersIn(results, workload).map(({ name, title }) => {
    const of = (pick: (one: Measurement) => number) => spread(results, workload.name, name, pick)!;
    const toNginx = ratio(results, workload.name, name, reference(workload), (one) => one.cpuMicros);
    return [
      title,
      durationWithQuartiles(of((one) => one.cpuMicros)),
      toNginx ? withQuartiles(toNginx) : '–',
      withQuartiles(of((one) => one.perSecond)),
      `${Math.round(of((one) => one.proxyShare).median * 100)} %`,
      micros(of((one) => one.p50).median),
      micros(of((one) => one.p99).median),
      micros(of((one) => one.p999).median),
    ];
  });
  const first = reference(workload).split('-', 1)[0];
  return table(['', 'CPU per request', `× ${first}`, 'requests/s', 'core used', 'p50', 'p99', 'p99.9'], rows);
}

function paceTable(results: Results, workload: Workload): string {
  const rows = peersIn(results, workload).map(({ name, title }) => {
    const of = (pick: (one: Measurement) => number) => spread(results, workload.name, name, pick)!;
    const toNginx = ratio(results, workload.name, name, 'nginx', (one) => one.p99);
    return [
      title,
      micros(of((one) => one.p50).median),
      durationWithQuartiles(of((one) => one.p99)),
      toNginx ? withQuartiles(toNginx) : '–',
      micros(of((one) => one.p999).median),
      micros(of((one) => one.cpuMicros).median),
      `${Math.round(of((one) => one.proxyShare).median * 100)} %`,
    ];
  });
  return table(['', 'p50', 'p99', 'p99 × nginx', 'p99.9', 'CPU per request', 'core used'], rows);
}

function idleTable(results: Results, workload: Workload): string {
  const rows = peersIn(results, workload).map(({ name, title }) => {
    const of = (pick: (memory: NonNullable<Measurement['memory']>) => number) =>
      spread(results, workload.name, name, (one) => (one.memory ? pick(one.memory) : Number.NaN))!;
    return [
      title,
      withQuartiles(
        of((memory) => memory.perConnection / 1024),
        ' KiB',
      ),
      mebibytes(of((memory) => memory.before).median),
      mebibytes(of((memory) => memory.after).median),
    ];
  });
  return table(['', 'per connection', 'before', 'with them'], rows);
}

const tableOf = { saturate: busyTable, pace: paceTable, idle: idleTable };

function workloadSection(results: Results, workload: Workload): string[] {
  const measured = results.measurements.filter((one) => one.workload === workload.name);
  if (measured.length === 0) return [];
  const faults = measured.filter((one) => one.faults > 0).map((one) => `${one.peer} (${one.faults})`);
  const rate = workload.kind === 'pace' ? ` (${figure(results.rate ?? 0)} requests per second)` : '';
  return [
    `### ${workload.title}${rate}`,
    tableOf[workload.kind](results, workload),
    ...(faults.length > 0 ? [`Answers that failed: ${faults.join(', ')}.`] : []),
  ];
}

function machineSection({ machine, peers }: Results): string {
  const { cpu, cores, virtual, memoryGiB, kernel, system } = machine;
  return [
    `- ${cpu}, ${cores} cores${virtual ? ' of a virtual machine' : ''}, ${memoryGiB} GiB; ${system}, Linux ${kernel}`,
    ...peers.map(({ title, version }) => `- ${title}: ${version}`),
  ].join('\n');
}

function method({ refused, measurements, failures, minutes }: Results): string[] {
  const busy = measurements.filter((one) => one.busy).length;
  const exclusion = spreadOf(
    measurements.filter((one) => one.workload === 'latency' && !one.busy).map((one) => one.excluded),
  );
  const excluded = exclusion ? `${percent(exclusion.median)} of them here` : 'none here';
  return [
    'One core runs the proxy, another one runs load generator and backend as a single C program (`bench/load/`), all over loopback. The main figure is the CPU time that all threads of the proxy spent on a core, as the scheduler counts it, divided by the requests answered: unlike throughput it does not depend on how fast the load is. Each measurement starts a fresh process, warms it up, lets it come to rest, reads the counters, runs, and reads them again at rest. Proxies take turns within a round and each round starts with another one. Where the cost of a request is compared (the main workload, routes, identity), all proxies of a round are started first, and each is measured twelve times for half a second while the others are idle, because the speed of a host changes within seconds; its figure in the round is the median. Tables show medians with quartiles over the rounds; a ratio is the median of the ratios of each round. Every answer’s status and length is checked.',
    `Latency at a fixed rate counts from the moment a request was due, so a proxy that stalls cannot hide the requests that waited; only requests that waited because the machine stopped the load program are left out (${excluded}). Memory is resident memory of all processes of the proxy, before and with the connections, once it has settled.`,
    `A measurement during which other processes or the host took more than ${percent(tolerated)} of a core is thrown away and repeated, twice at most; one that stayed disturbed counts only where most of its kind were. In this run of ${Math.round(minutes)} minutes, ${refused} of ${measurements.length + refused} were thrown away and ${busy} stayed disturbed.`,
    ...failures.map((failure) => `Failed: ${failure}.`),
  ];
}

/** The page that says how the gateway compares; pure, from the results and what lies beside them. */
export function reportOf(results: Results): string {
  return `${[
    '# Benchmarks',
    `\`npm run bench -- --write\` measured this on ${results.startedAt.slice(0, 10)} and wrote this page; \`npm run bench -- --quick\` shows the main figure on your machine in four minutes.`,
    ...(results.standIn
      ? ['**A stand-in ran in the gateway’s place: nothing here says anything about Gatewarden.**']
      : []),
    '![CPU time per request of each proxy](benchmarks.svg)',
    '## Goals',
    goalTable(results),
    '## Machine',
    machineSection(results),
    '## Method',
    ...method(results),
    '## Workloads',
    ...workloads.flatMap((workload) => workloadSection(results, workload)),
  ].join('\n\n')}\n`;
}
