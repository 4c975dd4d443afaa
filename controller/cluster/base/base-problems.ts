import type { Problem } from '../../../contract/problem.ts';
import { problemText } from '../../../contract/problem-text.ts';
import type { Compilation } from '../../compile/compiler.ts';

/** Problems of the base configuration, for people. */
export interface BaseProblems {
  /** Errors and warnings. */
  readonly all: readonly string[];
  /** Those for which the last good version stays, if there is one. */
  readonly errors: readonly string[];
  /** Names of the files that have errors. */
  readonly files: readonly string[];
}

/** How many problems are told. */
const MOST_SHOWN = 100;

export const noBaseProblems: BaseProblems = { all: [], errors: [], files: [] };

export function baseProblems({ verdicts, resources }: Pick<Compilation, 'verdicts' | 'resources'>): BaseProblems {
  const found: readonly (readonly [file: string, Problem])[] = [
    ...verdicts.flatMap(({ file, problems }) => problems.map((problem) => [nameOf(file.path), problem] as const)),
    ...(resources?.trustProblems ?? []).map((problem) => ['trust.json', problem] as const),
  ];
  const texts = (some: typeof found): string[] => {
    const left = some.length - MOST_SHOWN;
    const shown = some.slice(0, MOST_SHOWN).map(([file, problem]) => problemText(problem, { file }));
    return left <= 0 ? shown : [...shown, `… and ${left} more ${left === 1 ? 'problem' : 'problems'}`];
  };
  const errors = found.filter(([, { severity }]) => severity === 'error');
  return { all: texts(found), errors: texts(errors), files: [...new Set(errors.map(([file]) => file))] };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
