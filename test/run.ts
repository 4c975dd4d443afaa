import { randomUUID } from 'node:crypto';
import { parseCLI, type Reporter, startVitest, type TestModule } from 'vitest/node';
import { whyNoCluster } from './support/cluster/cluster-programs.ts';
import { endSurvivors } from './survivors.ts';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  readonly failures: string[];
}

const marker = `GATEWARDEN_TEST_RUN=${randomUUID()}`;

const USAGE = `usage: npm test -- [FILE…] [OPTION…]
Runs all tests, or those of the files. Options are those of vitest run; npx vitest run --help lists them.
`;

if (process.argv.includes('--help')) process.stdout.write(USAGE);
else await runTests(process.argv.slice(2));

/** Runs the tests that the words name, or all, and ends with one line that says how many passed, failed and skipped. */
async function runTests(words: readonly string[]): Promise<void> {
  const [name, value] = marker.split('=') as [string, string];
  // Everything the tests start inherits this, so that whatever outlives them can be found.
  process.env[name] = value;
  const counts: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  const { filter, options } = parseCLI(['vitest', 'run', ...words]);
  const missing = await whyNoCluster();
  if (missing !== null && process.env['CI'] !== undefined) throw new Error(`tests cannot run: ${missing}`);
  if (missing !== null) process.stderr.write(`LEFT OUT: the tests in test/cluster and test/helm, because ${missing}\n`);
  // those on a real node and with large foreign servers need more than Node.js: scripts of their own run them
  const project = options.project ?? ['!node', '!foreign', '!brokers', ...(missing === null ? [] : ['!cluster'])];
  const vitest = await startVitest(filter, {
    ...options,
    project,
    watch: false,
    reporters: ['default', countingReporter(counts)],
  });
  await vitest.close();

  const survivors = await endSurvivors(marker);
  for (const survivor of survivors) process.stderr.write(`left behind by the tests, now ended: ${survivor}\n`);
  counts.failed += survivors.length;
  const ran = counts.passed + counts.failed > 0;
  if (!ran) process.stderr.write('no test ran\n');
  // told again at the end, because a log that was cut keeps its last lines
  for (const name of counts.failures) process.stderr.write(`failed: ${name}\n`);
  const line = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`;
  const code = counts.failed > 0 || !ran ? 1 : Number(process.exitCode ?? 0);
  // The exit waits for the line, because output to a pipe is asynchronous.
  process.stdout.write(line, () => process.exit(code));
}

/** Counts what vitest reports; a file that cannot be loaded and an error outside any test count as one failure each. */
function countingReporter(counts: Counts): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]) {
      counts.failed += unhandledErrors.length;
      for (const module of modules) {
        const before = counts.failed;
        for (const test of module.children.allTests()) {
          const { state } = test.result();
          if (state === 'failed') counts.failures.push(`${module.relativeModuleId} > ${test.fullName}`);
          counts[state === 'passed' || state === 'failed' ? state : 'skipped'] += 1;
        }
        if (module.state() === 'failed' && counts.failed === before) {
          counts.failed += 1;
          counts.failures.push(module.relativeModuleId);
        }
      }
    },
  };
}
