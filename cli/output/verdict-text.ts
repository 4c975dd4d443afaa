import { relative } from 'node:path';
import type { Problem } from '../../contract/problem.ts';
import { type ProblemRecord, type ProblemSource, problemRecord, problemText } from '../../contract/problem-text.ts';
import { documentOf } from '../../controller/compile/document-of.ts';
import type { Verdict } from '../../controller/compile/verdict.ts';

/** How many problems of one document are reported; what is left out is counted. */
export const MOST_SHOWN = 100;

/** Longer texts are not shown in part: looking through them for secrets would take too long. */
const LONGEST_SHOWN = 2_097_152;

/** A verdict as people and programs read it. */
export interface VerdictReport {
  /** Empty when nothing is wrong. */
  readonly text: string;
  /** In one line, what comes of what is wrong. */
  readonly line: string;
  readonly records: readonly ProblemRecord[];
}

/** Every problem of these files as people read it, a blank line between two. */
export function verdictText(verdicts: readonly Verdict[]): string {
  return verdicts
    .map((verdict) => verdictReport(verdict).text)
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Reads the file of a verdict once for all that is said of it. */
export function verdictReport(verdict: Verdict): VerdictReport {
  const { problems } = verdict;
  const subject = subjectOf(verdict);
  const consequence = consequenceOf(verdict);
  if (problems.length === 0) return { text: '', line: `${subject}: ${consequence ?? ''}`, records: [] };
  const source = sourceOf(verdict);
  const shown = inOrder(worstOf(problems), source);
  const left = omittedProblems(verdict);
  const texts = [
    ...shown.map((problem) => problemText(problem, source)),
    ...(left === 0 ? [] : [`${subject}: … and ${left} more ${left === 1 ? 'problem' : 'problems'}`]),
    ...(consequence === null ? [] : [`${subject}: ${consequence}`]),
  ];
  const rest = problems.length === 1 ? '' : `, and ${problems.length - 1} more`;
  return {
    text: texts.join('\n\n'),
    line: `${subject}: ${consequence ?? `${shown[0]?.message ?? ''}${rest}`}`,
    records: shown.map((problem) => problemRecord(problem, source)),
  };
}

/** Subject of a verdict, as people find it. */
export function subjectOf({ file, within }: Verdict): string {
  return within === undefined ? shownPath(file.path) : `${shownPath(file.path)}, ${within.label}`;
}

/** Errors before warnings, as many as somebody would read. */
function worstOf(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= MOST_SHOWN) return problems;
  const isError = ({ severity }: Problem): boolean => severity === 'error';
  const errors = problems.filter(isError).slice(0, MOST_SHOWN);
  const others = problems.filter((problem) => !isError(problem)).slice(0, MOST_SHOWN - errors.length);
  return [...errors, ...others];
}

function consequenceOf({ serves, role, route, hidesRoutes }: Verdict): string | null {
  if (role === 'stray' || role === 'resource' || serves === 'waits') return null;
  if (serves === 'last-good') {
    return role === 'directory' ? 'ITS LAST ROUTES KEEP SERVING' : 'THE LAST GOOD VERSION KEEPS SERVING';
  }
  if (serves === 'refuses') {
    const whose =
      route?.condition === null ? 'EVERY REQUEST THAT REACHES THIS ROUTE GETS' : 'REQUESTS THAT MATCH THIS ROUTE GET';
    return `${whose} 500 until its errors are fixed`;
  }
  if (serves === 'this') return null;
  if (role === 'route') return 'NOT LOADED: other routes may take its requests';
  return `NOT LOADED: nothing is served until its errors are fixed${hidesRoutes === true ? ', and its routes are not checked' : ''}`;
}

/** Problems in the order in which somebody who reads the file comes across them. */
function inOrder(problems: readonly Problem[], source: ProblemSource): Problem[] {
  const places = new Map(problems.map((problem) => [problem, problemRecord(problem, source)]));
  const lineOf = (problem: Problem): number => places.get(problem)?.line ?? 0;
  const columnOf = (problem: Problem): number => places.get(problem)?.column ?? 0;
  return problems.toSorted((a, b) => lineOf(a) - lineOf(b) || columnOf(a) - columnOf(b));
}

/** The problems of a file as programs read them. */
export function verdictRecords(verdict: Verdict): readonly ProblemRecord[] {
  return verdictReport(verdict).records;
}

/** How many problems of a file are left out. */
export function omittedProblems({ problems }: Verdict): number {
  return Math.max(0, problems.length - MOST_SHOWN);
}

function sourceOf({ file, route, within }: Verdict): ProblemSource {
  if (within !== undefined) {
    const { label, placeOf, isSecret } = within;
    const text = isSecret ? {} : textOf(file);
    return { file: shownPath(file.path), ...text, placeOf, ...(label === '' ? {} : { label }) };
  }
  const { placeOf } = documentOf(file);
  return {
    file: shownPath(file.path),
    ...textOf(file),
    placeOf,
    ...(route === null ? {} : { label: `route ${route.name}` }),
  };
}

function textOf({ content }: Verdict['file']): { text?: string } {
  return content.length > LONGEST_SHOWN ? {} : { text: new TextDecoder().decode(content) };
}

/** A path as it is shortest from here. */
export function shownPath(path: string): string {
  const fromHere = relative('', path);
  return fromHere === '' || fromHere.startsWith('..') ? path : fromHere;
}
