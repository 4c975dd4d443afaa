import type { Reporter, TestModule } from 'vitest/node';

/** Results of one file. Names of tests start with its path, because a list of failures is read alone. */
interface FileOutcome {
  readonly path: string;
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly skipped: number;
}

/** Outcomes of a run by absolute path of the file, and the number of errors that no test caught. */
export interface Outcomes {
  readonly files: Map<string, FileOutcome>;
  uncaught: number;
}

/** Verdict on a run in which failed files may have run a second time. */
export interface Verdict {
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly string[];
  /** Tests that failed once and passed when their file ran alone. */
  readonly unsteady: readonly string[];
}

/** More failed files than this are taken for a mistake in the change under test. */
const MOST_REPEATED = 3;

/** The files to run once more, alone: the failed ones if they are few, and if every error belongs to a file. */
export function filesToRepeat({ files, uncaught }: Outcomes): string[] {
  const failed = [...files].filter(([, outcome]) => outcome.failed.length > 0).map(([id]) => id);
  return uncaught > 0 || failed.length > MOST_REPEATED ? [] : failed;
}

/** Joins a run with its repetition. A failure counts as unsteady only if the same test passed in the repetition. */
export function verdictOf(first: Outcomes, repeated: Outcomes): Verdict {
  const unsteady: string[] = [];
  const failures: string[] = [];
  for (const [id, { path, failed }] of first.files) {
    const again = repeated.files.get(id);
    const passes = (name: string): boolean =>
      again !== undefined && !again.failed.includes(name) && (name === path || again.passed.includes(name));
    for (const name of failed) (passes(name) ? unsteady : failures).push(name);
    failures.push(...(again?.failed.filter((name) => !failed.includes(name)) ?? []));
  }
  const files = [...new Map([...first.files, ...repeated.files]).values()];
  const passed = files.flatMap((file) => file.passed).filter((name) => !unsteady.includes(name)).length;
  return { passed, skipped: files.reduce((sum, file) => sum + file.skipped, 0), failures, unsteady };
}

/** Collects what vitest reports. A file that cannot be loaded counts as one failure with the name of the file. */
export function collectingReporter(outcomes: Outcomes): Reporter {
  return {
    onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]) {
      outcomes.uncaught += unhandledErrors.length;
      for (const module of modules) outcomes.files.set(module.moduleId, outcomeOf(module));
    },
  };
}

function outcomeOf(module: TestModule): FileOutcome {
  const path = module.relativeModuleId;
  const passed: string[] = [];
  const failed: string[] = [];
  let skipped = 0;
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed') passed.push(`${path} > ${test.fullName}`);
    else if (state === 'failed') failed.push(`${path} > ${test.fullName}`);
    else skipped += 1;
  }
  if (module.state() === 'failed' && failed.length === 0) failed.push(path);
  return { path, passed, failed, skipped };
}
