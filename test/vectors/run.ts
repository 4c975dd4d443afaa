import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { differenceOf, isWanted } from '../support/audit/rows/audit-differences.ts';
import { differenceLines } from '../support/audit/rows/difference-lines.ts';
import { auditRows, replay } from '../support/audit/rows/replay.ts';

const USAGE = `usage: npm run vectors -- SUITE [FILE]

Replays observed rows and prints each row with its id: same, differs as wanted, DIFFERS, or left out.
It exits with 1 if a row differs that should not.

Suites:
  audit    events of the audit framework of OpenIG; test/vectors/audit-events.jsonl by default
`;

type Suite = (file: string | null) => Promise<boolean>;

const suites: Readonly<Record<string, Suite>> = {
  audit: (file) => replayAudit(file ?? new URL('./audit-events.jsonl', import.meta.url)),
};

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', default: false } },
  });
  const [name = '', file = null, ...more] = positionals;
  const suite = Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (values.help || suite === undefined || more.length > 0) {
    process[values.help ? 'stdout' : 'stderr'].write(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  process.exitCode = (await suite(file)) ? 0 : 1;
}

async function replayAudit(file: string | URL): Promise<boolean> {
  const counts = { same: 0, wanted: 0, different: 0, left: 0 };
  for (const row of auditRows(readFileSync(file, 'utf8'))) {
    const title = `${row.id}  ${row.kind}  ${row.case}`;
    const outcome = await replay(row);
    if ('left' in outcome) {
      counts.left++;
      process.stdout.write(`left out  ${title}: ${outcome.left}\n`);
      continue;
    }
    const lines = differenceLines(outcome.observed, outcome.ours);
    const wanted = differenceOf(row.id);
    const isAsWanted = wanted !== null && isWanted(lines, wanted.lines);
    counts[isAsWanted ? 'wanted' : lines.length === 0 && wanted === null ? 'same' : 'different']++;
    if (isAsWanted) process.stdout.write(`wanted    ${title}: ${wanted.why}\n`);
    else if (lines.length === 0 && wanted === null) process.stdout.write(`same      ${title}\n`);
    else process.stdout.write(`DIFFERS   ${title}\n${lines.map((line) => `            ${line}\n`).join('')}`);
  }
  const { same, wanted, different, left } = counts;
  process.stdout.write(`${same} same, ${wanted} differ as wanted, ${different} differ, ${left} left out\n`);
  return different === 0;
}
