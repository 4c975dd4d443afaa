import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { differenceOf, isWanted } from '../support/audit/rows/audit-differences.ts';
import { differenceLines } from '../support/audit/rows/difference-lines.ts';
import { auditRows, replay } from '../support/audit/rows/replay.ts';
import { crestRows, type Fixtures } from '../support/crest/crest-rows.ts';
import { type CrestReplay, replayCrest } from '../support/crest/replay-crest.ts';
import { replayRoutes, routesRows } from '../support/crest/replay-routes.ts';
import { gatewayRows, replayGatewayRow } from '../support/groovy/gateway-replay.ts';
import { groovyRows, type RowOutcome, replayRow } from '../support/groovy/replay.ts';

const USAGE = `usage: npm run vectors -- SUITE [FILE]

Replays observed rows and prints each row with its id: same, differs as wanted, DIFFERS, or left out.
It exits with 1 if a row differs that should not.

Suites:
  audit            events of the audit framework of OpenIG; test/vectors/audit-events.jsonl by default
  crest            requests of Common REST; test/vectors/crest-observed.jsonl by default
  groovy           snippets and what Groovy 4 answers; test/vectors/groovy.jsonl by default
  gateway-scripts  scripts of gateways and what OpenIG's classes do; test/vectors/gateway-scripts.jsonl by default
  routes-rest      routes managed over HTTP; test/vectors/routes-rest-observed.jsonl by default
`;

type Suite = (file: string | null) => Promise<boolean>;

const suites: Readonly<Record<string, Suite>> = {
  audit: (file) => replayAudit(file ?? new URL('./audit-events.jsonl', import.meta.url)),
  crest: (file) => replayCollections(textOf(file ?? new URL('./crest-observed.jsonl', import.meta.url))),
  groovy: (file) =>
    replayScripts(
      groovyRows(textOf(file ?? new URL('./groovy.jsonl', import.meta.url))),
      replayRow,
      ({ tier }) => `tier ${tier}`,
    ),
  'gateway-scripts': (file) =>
    replayScripts(
      gatewayRows(textOf(file ?? new URL('./gateway-scripts.jsonl', import.meta.url))),
      replayGatewayRow,
      ({ kind }) => kind,
    ),
  'routes-rest': (file) =>
    replayRequests(
      routesRows(textOf(file ?? new URL('./routes-rest-observed.jsonl', import.meta.url))),
      replayRoutes,
      (row) => row.case,
    ),
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

async function replayCollections(text: string): Promise<boolean> {
  const fixtures = JSON.parse(textOf(new URL('./crest-fixtures.json', import.meta.url))) as Fixtures;
  return replayRequests(
    crestRows(text),
    (row) => replayCrest(row, fixtures),
    ({ area }) => area,
  );
}

/** Replays rows of requests, each with a fresh server. */
async function replayRequests<Row extends { readonly id: string }>(
  rows: readonly Row[],
  run: (row: Row) => Promise<CrestReplay>,
  titleOf: (row: Row) => string,
): Promise<boolean> {
  const counts = { same: 0, wanted: 0, different: 0 };
  for (const row of rows) {
    const { verdict, lines } = await run(row);
    counts[verdict]++;
    const title = `${row.id}  ${titleOf(row)}`;
    if (verdict === 'same') process.stdout.write(`same      ${title}\n`);
    else if (verdict === 'wanted') process.stdout.write(`wanted    ${title}: ${lines.join('; ')}\n`);
    else process.stdout.write(`DIFFERS   ${title}\n${lines.map((line) => `            ${line}\n`).join('')}`);
  }
  const { same, wanted, different } = counts;
  process.stdout.write(`${same} same, ${wanted} differ as wanted, ${different} differ\n`);
  return different === 0;
}

function textOf(file: string | URL): string {
  return readFileSync(file, 'utf8');
}

/** Replays rows of scripts. A refusal is no difference: the script is told that something is not available. */
async function replayScripts<Row extends { readonly id: string }>(
  rows: readonly Row[],
  run: (row: Row) => Promise<RowOutcome>,
  groupOf: (row: Row) => string,
): Promise<boolean> {
  const counts = new Map<string, { same: number; refused: number; different: number }>();
  for (const row of rows) {
    const outcome = await run(row);
    const count = counts.get(groupOf(row)) ?? { same: 0, refused: 0, different: 0 };
    count[outcome.verdict]++;
    counts.set(groupOf(row), count);
    const word = { same: 'same     ', refused: 'refused  ', different: 'DIFFERS  ' }[outcome.verdict];
    process.stdout.write(`${word} ${row.id}${outcome.verdict === 'same' ? '' : `: ${outcome.reason}`}\n`);
  }
  for (const [group, { same, refused, different }] of [...counts].sort()) {
    process.stdout.write(`${group}: ${same} same, ${refused} refused, ${different} differ\n`);
  }
  return [...counts.values()].every(({ different }) => different === 0);
}
