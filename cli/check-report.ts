import { problemText } from '../contract/problem-text.ts';
import { hasErrors } from '../controller/compile/verdict.ts';
import type { Findings } from './check-paths.ts';
import { verdictText } from './verdict-text.ts';

/** What `gatewarden check` says to people: every problem, and a last line that counts them. */
export interface CheckReport {
  readonly text: string;
  /** Whether there is no error; warnings may be there. */
  readonly isSound: boolean;
}

export function checkReport({ verdicts: files, tokenProblems, manifests }: Findings): CheckReport {
  const verdicts = [...files, ...(manifests?.base ?? [])];
  const told = manifests?.told ?? [];
  const problems = [
    ...tokenProblems,
    ...verdicts.flatMap((verdict) => verdict.problems),
    ...told.map(({ problem }) => problem),
  ];
  const texts = [
    ...tokenProblems.map((problem) => problemText(problem)),
    verdictText(verdicts),
    ...told.map(({ problem, source }) => problemText(problem, source)),
    ...(manifests?.skipped ?? []).map((name) => `note: ${name} is not looked at`),
  ];
  const text = texts.filter((one) => one !== '').join('\n\n');
  const count = (severity: string): number => problems.filter((problem) => problem.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const nothing =
    verdicts.length === 0 && manifests === null
      ? '\nThere is no config.json and no route: the default configuration would run.'
      : '';
  const checked = [
    ...(verdicts.length > 0 || manifests === null ? [counted(verdicts.length, 'file')] : []),
    ...(manifests === null ? [] : [counted(manifests.resources.length, 'resource')]),
  ];
  const summary = `${checked.join(' and ')} checked: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
  const last = `${summary}${nothing}\n`;
  return { text: text === '' ? last : `${text}\n\n${last}`, isSound: !hasErrors(problems) };
}

/** A number with its noun. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
