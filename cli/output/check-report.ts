import { problemText } from '../../contract/problem-text.ts';
import { hasErrors } from '../../controller/compile/verdict.ts';
import type { Findings } from '../actions/check-paths.ts';
import { verdictText } from './verdict-text.ts';

/** Output of `gatewarden check` for people: every problem, and a last line that counts them. */
export interface CheckReport {
  readonly text: string;
  /** Whether there is no error; warnings may be there. */
  readonly isSound: boolean;
}

export function checkReport({ verdicts: files, tokenProblems, manifests }: Findings): CheckReport {
  const verdicts = [...files, ...(manifests?.verdicts ?? [])];
  const problems = [...tokenProblems, ...verdicts.flatMap((verdict) => verdict.problems)];
  const texts = [
    ...tokenProblems.map((problem) => problemText(problem)),
    verdictText(verdicts),
    skippedText(manifests?.skipped ?? []),
  ];
  const text = texts.filter((one) => one !== '').join('\n\n');
  const count = (severity: string): number => problems.filter((problem) => problem.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const isNothing = files.length === 0 && manifests === null;
  const nothing = isNothing ? '\nThere is no config.json and no route: the default configuration would run.' : '';
  const fileCount = files.filter(({ within }) => within === undefined).length + (manifests?.files ?? 0);
  const resourceCount =
    files.length - files.filter(({ within }) => within === undefined).length + (manifests?.resources ?? 0);
  const checked = [
    ...(fileCount > 0 || resourceCount === 0 ? [counted(fileCount, 'file')] : []),
    ...(resourceCount > 0 ? [counted(resourceCount, 'resource')] : []),
  ];
  const summary = `${checked.join(' and ')} checked: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
  const last = `${summary}${nothing}\n`;
  return { text: text === '' ? last : `${text}\n\n${last}`, isSound: !hasErrors(problems) };
}

function skippedText(names: readonly string[]): string {
  return names.length === 0 ? '' : `note: not checked: ${names.join(', ')}`;
}

/** A number with its noun. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
