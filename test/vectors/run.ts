import { parseArgs } from 'node:util';
import { differenceOf, isWanted } from '../support/audit/rows/audit-differences.ts';
import { differenceLines } from '../support/audit/rows/difference-lines.ts';
import { auditRows, replay } from '../support/audit/rows/replay.ts';
import { crestRows, type Fixtures } from '../support/crest/crest-rows.ts';
import { type CrestReplay, replayCrest } from '../support/crest/replay-crest.ts';
import {
  type FilterRow,
  type MeaningRow,
  pointerRows,
  replayFilter,
  replayMeaning,
  versionRows,
} from '../support/crest/replay-library.ts';
import { replayRoutes, routesRows } from '../support/crest/replay-routes.ts';
import { gatewayRows, replayGatewayRow } from '../support/groovy/gateway-replay.ts';
import { groovyRows, type RowOutcome, replayRow } from '../support/groovy/replay.ts';
import { vectorLines, vectorObject, vectorText, WrongVectorFile } from '../support/vector-file.ts';

const USAGE = `usage: npm run vectors -- SUITE [FILE]

Replays observed rows and prints each row with its id: same, differs as wanted, DIFFERS, or left out.
It exits with 1 if a row differs that should not.

Suites, each with its own file in test/vectors by default:
  accept-api-version  headers of Common REST with versions
  audit               events of the audit framework of OpenIG
  crest               requests of Common REST
  groovy              snippets and what Groovy 4 answers
  gateway-scripts     scripts of gateways and what OpenIG's classes do
  jsonpointer         JSON pointers of Common REST
  queryfilter         filters of queries, and what they select
  routes-rest         routes managed over HTTP
`;

type Suite = (file: string | URL) => Promise<boolean>;

const suites: Readonly<Record<string, readonly [standard: string, replay: Suite]>> = {
  'accept-api-version': [
    'accept-api-version.json',
    (file) => replayMeanings(versionRows(vectorObject('accept-api-version', file, ['valid|invalid']))),
  ],
  audit: ['audit-events.jsonl', (file) => replayAudit(vectorLines('audit', file, ['id', 'kind', 'case']))],
  crest: ['crest-observed.jsonl', replayCollections],
  groovy: [
    'groovy.jsonl',
    (file) =>
      replayScripts(
        groovyRows(vectorLines('groovy', file, ['id', 'tier', 'script'])),
        replayRow,
        ({ tier }) => `tier ${tier}`,
      ),
  ],
  'gateway-scripts': [
    'gateway-scripts.jsonl',
    (file) =>
      replayScripts(
        gatewayRows(vectorLines('gateway-scripts', file, ['id', 'kind', 'script'])),
        replayGatewayRow,
        ({ kind }) => kind,
      ),
  ],
  jsonpointer: [
    'jsonpointer.json',
    (file) => replayMeanings(pointerRows(vectorObject('jsonpointer', file, ['equal|segments|invalid']))),
  ],
  queryfilter: ['queryfilter.jsonl', replayFilters],
  'routes-rest': [
    'routes-rest-observed.jsonl',
    (file) =>
      replayRequests(
        routesRows(vectorLines('routes-rest', file, ['id', 'case', 'steps'])),
        replayRoutes,
        (row) => row.case,
      ),
  ],
};

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', default: false } },
  });
  const [name, file, ...more] = positionals;
  const suite = name !== undefined && Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (values.help || suite === undefined || more.length > 0) {
    if (!values.help && name !== undefined) {
      const fault = suite === undefined ? `there is no suite '${name}'` : 'only one file can be given';
      process.stderr.write(`vectors: ${fault}\n\n`);
    }
    process[values.help ? 'stdout' : 'stderr'].write(USAGE);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const [standard, replayed] = suite;
  try {
    process.exitCode = (await replayed(file ?? new URL(`./${standard}`, import.meta.url))) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof WrongVectorFile)) throw error;
    process.stderr.write(`vectors: ${error.message}\n`);
    process.exitCode = 2;
  }
}

async function replayAudit(text: string): Promise<boolean> {
  const counts = { same: 0, wanted: 0, different: 0, left: 0 };
  for (const row of auditRows(text)) {
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

async function replayCollections(file: string | URL): Promise<boolean> {
  const rows = crestRows(vectorLines('crest', file, ['id', 'area', 'steps']));
  const fixtures = JSON.parse(vectorText(new URL('./crest-fixtures.json', import.meta.url))) as Fixtures;
  return replayRequests(
    rows,
    (row) => replayCrest(row, fixtures),
    ({ area }) => area,
  );
}

async function replayFilters(file: string | URL): Promise<boolean> {
  const lines = vectorLines('queryfilter', file, ['filter|filterRepeat', 'ids|error']).trim().split('\n');
  const rows = lines.map((line, at) => ({ id: `filter-${at + 1}`, ...(JSON.parse(line) as FilterRow) }));
  return replayRequests(
    rows,
    async (row) => replayFilter(row),
    ({ filter }) => filter ?? 'a deeply nested one',
  );
}

function replayMeanings(rows: readonly MeaningRow[]): Promise<boolean> {
  return replayRequests(
    rows,
    async (row) => replayMeaning(row),
    ({ title }) => title,
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
