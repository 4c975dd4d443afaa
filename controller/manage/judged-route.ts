import { isAbsolute, relative } from 'node:path';
import type { Problem } from '../../contract/problem.ts';
import { problemRecord } from '../../contract/problem-text.ts';
import type { Compilation } from '../compile/compiler.ts';
import { documentOf } from '../compile/document-of.ts';
import type { SourceFile } from '../compile/source-file.ts';
import { hasErrors, type Verdict } from '../compile/verdict.ts';
import type { FileChange, ManagedInstance } from './managed-instance.ts';

/** A problem of a document for a client, as JSON. */
export type RouteProblem = {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** Place in the document; empty for the whole. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
};

/** Returns the problems of a changed file, and those errors of other files that the change would cause. */
export async function judgeRoute(instance: ManagedInstance, change: FileChange): Promise<RouteProblem[]> {
  const bad = new Set(instance.compilation.verdicts.filter(isBad).map(({ file }) => file.path));
  const compilation = await instance.judge(change);
  const problems = compilation.verdicts.flatMap((verdict) => {
    const { file } = verdict;
    if (file.path === change.path) return routeProblems(file, verdict.problems);
    return isBad(verdict) && !bad.has(file.path) ? routeProblems(file, verdict.problems) : [];
  });
  return [...problems, ...foreignDirectories(instance, compilation)];
}

/** Returns problems of a file as clients read them. */
export function routeProblems(file: SourceFile, problems: readonly Problem[]): RouteProblem[] {
  const { placeOf } = documentOf(file);
  return problems.map((problem) => {
    const { severity, code, path, message, hint } = problemRecord(problem, { placeOf });
    return { severity, code, path, message, ...(hint === undefined ? {} : { hint }) };
  });
}

/**
 * A client can read and write the files of every router. With a router on any directory it could read and write those of
 * the machine, so new routers read directories below the one of `config.json`, whose own files they must not replace.
 */
function foreignDirectories({ compilation, configDirectory }: ManagedInstance, judged: Compilation): RouteProblem[] {
  const known = new Set(compilation.routers.values());
  const foreign = [...judged.routers].filter(
    ([, directory]) => !known.has(directory) && !isBelow(configDirectory, directory),
  );
  return foreign.map(([router]) => ({
    severity: 'error',
    code: 'not-allowed',
    path: '',
    message: `the directory of the router '${router}' is not below the one of config.json`,
    hint: 'a route that is sent over HTTP may only read routes of a directory in there; write a file for other ones',
  }));
}

function isBelow(directory: string, path: string): boolean {
  const steps = relative(directory, path);
  return steps !== '' && !isAbsolute(steps) && !/^\.\.(?:[/\\]|$)/.test(steps);
}

function isBad({ problems }: Verdict): boolean {
  return hasErrors(problems);
}
