import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Campaign, type Discovery } from './campaign.ts';
import { watchEngine } from './engine-faults.ts';
import { subjects } from './subjects.ts';

const USAGE = `usage: npm run fuzz -- [--minutes N] [--seed N] [--case FILE]

  --minutes N   how long, 1 by default
  --seed N      what decides the cases; a new one each time by default
  --case FILE   check one case that was found before

GATEWARDEN_WIRES=public does the same over public sockets instead of raw handles.
`;

/** One share of the time, in milliseconds: a round over all subjects takes half a minute. */
const SHARE = 1000;
const PROGRESS_EVERY = 5000;
const foundFolder = new URL('./found/', import.meta.url);

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
      case: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (values.help || !(minutes > 0) || !Number.isInteger(seed)) {
    process.stdout.write(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const ok = values.case === undefined ? await fuzz(minutes, seed) : await replay(values.case);
  // what the engine keeps open must not keep the process
  process.exit(ok ? 0 : 1);
}

async function fuzz(minutes: number, seed: number): Promise<boolean> {
  const begin = performance.now();
  const until = begin + minutes * 60_000;
  const campaigns = subjects().map(({ subject, share }) => ({ campaign: new Campaign(subject, seed), share }));
  const all = campaigns.map(({ campaign }) => campaign);
  let discovery: Discovery<unknown> | null = null;
  process.stdout.write(`fuzzing for ${minutes} min with seed ${seed}\n`);
  const progress = setInterval(() => process.stdout.write(`${progressLine(all, begin)}\n`), PROGRESS_EVERY);
  // what nobody catches is a finding too, though no case can be blamed for it alone
  const crash = (error: unknown): void => {
    process.stdout.write(`not caught, seed ${seed}: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', crash).on('unhandledRejection', crash);
  while (discovery === null && performance.now() < until) {
    for (const { campaign, share } of campaigns) {
      const end = Math.min(until, performance.now() + share * SHARE);
      discovery = await campaign.run(() => performance.now() < end);
      if (discovery !== null) break;
    }
  }
  clearInterval(progress);
  process.stdout.write(summary(all, seed));
  if (discovery !== null) tell(discovery);
  return discovery === null;
}

function progressLine(campaigns: readonly Campaign<unknown>[], begin: number): string {
  const counts = campaigns.map(({ subject, cases }) => `${subject.name} ${cases.toLocaleString('en')}`);
  return `${String(Math.round((performance.now() - begin) / 1000)).padStart(5)} s  ${counts.join('  ')}`;
}

function summary(campaigns: readonly Campaign<unknown>[], seed: number): string {
  const rows = campaigns.map(({ subject, cases, milliseconds }) => {
    const rate = Math.round((subject.runs / Math.max(1, milliseconds)) * 1000);
    const numbers = [cases, subject.runs, rate].map((number) => number.toLocaleString('en').padStart(14));
    return `${subject.name.padEnd(16)}${numbers.join('')}\n`;
  });
  const titles = ['cases', 'runs', 'runs/s'].map((title) => title.padStart(14)).join('');
  return `\nseed ${seed}\n${''.padEnd(16)}${titles}\n${rows.join('')}`;
}

/** Writes the case down so that it can be checked again. */
function tell(discovery: Discovery<unknown>): void {
  const text = `${JSON.stringify(discovery, null, 2)}\n`;
  const hash = createHash('sha256').update(JSON.stringify(discovery.input)).digest('hex').slice(0, 8);
  mkdirSync(foundFolder, { recursive: true });
  const file = new URL(`${discovery.subject}-${hash}.json`, foundFolder);
  writeFileSync(file, text);
  process.stdout.write(`\nFOUND ${discovery.complaint.kind}${discovery.reproduced ? '' : ' (once only)'}\n`);
  process.stdout.write(
    `${JSON.stringify(discovery.input).slice(0, 4000)}\n${discovery.complaint.detail.slice(0, 4000)}\n`,
  );
  process.stdout.write(`again: npm run fuzz -- --case ${fileURLToPath(file)}\n`);
}

async function replay(file: string): Promise<boolean> {
  const { subject: name, input } = JSON.parse(readFileSync(file, 'utf8')) as Discovery<unknown>;
  const found = subjects().find(({ subject }) => subject.name === name);
  if (found === undefined) throw new Error(`${file} is a case of '${name}', which does not exist`);
  watchEngine();
  const lane = await found.subject.open();
  const complaint = await lane.check(input);
  await lane.close();
  process.stdout.write(complaint === null ? 'nothing is wrong\n' : `${complaint.kind}\n${complaint.detail}\n`);
  return complaint === null;
}
