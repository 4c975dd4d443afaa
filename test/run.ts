import { randomUUID } from 'node:crypto';
import { join, relative } from 'node:path';
import { parseCLI, startVitest } from 'vitest/node';
import { collectingReporter, filesToRepeat, type Outcomes, verdictOf } from './outcomes.ts';
import { whyNoCluster } from './support/cluster/cluster-programs.ts';
import { endSurvivors } from './survivors.ts';

type Options = ReturnType<typeof parseCLI>['options'];

const marker = `GATEWARDEN_TEST_RUN=${randomUUID()}`;

const USAGE = `usage: npm test -- [FILE…] [OPTION…]
Runs all tests, or those of the files. Options are those of vitest run; npx vitest run --help lists them.
When at most three files failed, they run once more, alone: a test that passes then is reported as unsteady.
`;

if (process.argv.includes('--help')) process.stdout.write(USAGE);
else await runTests(process.argv.slice(2));

/** Runs the tests that the words name, or all, and ends with one line that says how many passed, failed and skipped. */
async function runTests(words: readonly string[]): Promise<void> {
  const [name, value] = marker.split('=') as [string, string];
  // Everything the tests start inherits this, so that whatever outlives them can be found.
  process.env[name] = value;
  // compiled modules are kept where the program keeps its own, for the workers and for scripts that tests start
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/gatewarden');
  const { filter, options } = parseCLI(['vitest', 'run', ...words]);
  const missing = await whyNoCluster();
  if (missing !== null && process.env['CI'] !== undefined) throw new Error(`tests cannot run: ${missing}`);
  if (missing !== null) process.stderr.write(`LEFT OUT: the tests in test/cluster and test/helm, because ${missing}\n`);
  const project = projectsOf(options, missing === null);
  const first = await runFiles(filter, { ...options, project });
  const files = filesToRepeat(first);
  if (files.length > 0) {
    const paths = files.map((file) => relative(process.cwd(), file));
    process.stderr.write(`failed files run once more, alone: ${paths.join(', ')}\n`);
    // the second run decides, and vitest sets the code only when tests fail
    process.exitCode = 0;
  }
  const repeated = await (files.length > 0
    ? runFiles(files, { ...options, project, fileParallelism: false })
    : { files: new Map(), uncaught: 0 });

  const survivors = await endSurvivors(marker);
  for (const survivor of survivors) process.stderr.write(`left behind by the tests, now ended: ${survivor}\n`);
  const { passed, skipped, failures, unsteady } = verdictOf(first, repeated);
  const failed = failures.length + first.uncaught + repeated.uncaught + survivors.length;
  const ran = passed + failed + unsteady.length > 0;
  if (!ran) process.stderr.write('no test ran\n');
  // told again at the end, because a log that was cut keeps its last lines
  for (const name of failures) process.stderr.write(`failed: ${name}\n`);
  for (const name of unsteady) process.stderr.write(`unsteady: ${name} (failed once, passed alone)\n`);
  const counts = [`${passed} passed`, `${failed} failed`, `${skipped} skipped`];
  if (unsteady.length > 0) counts.splice(2, 0, `${unsteady.length} unsteady`);
  const code = failed > 0 || !ran ? 1 : Number(process.exitCode ?? 0);
  // The exit waits for the line, because output to a pipe is asynchronous.
  process.stdout.write(`${counts.join(', ')}\n`, () => process.exit(code));
}

/** Those on a real node and with large foreign servers need more than Node.js: scripts of their own run them. */
function projectsOf({ project: asked }: Options, hasCluster: boolean): string[] {
  const named = asked === undefined ? [] : [asked].flat();
  if (named.some((word) => !word.startsWith('!'))) return named;
  return ['!node', '!foreign', '!brokers', ...(hasCluster ? [] : ['!cluster']), ...named];
}

async function runFiles(filter: string[], options: Options): Promise<Outcomes> {
  const outcomes: Outcomes = { files: new Map(), uncaught: 0 };
  const reporters = ['default', collectingReporter(outcomes)];
  const vitest = await startVitest(filter, { ...options, watch: false, reporters });
  await vitest.close();
  return outcomes;
}
