import { relative } from 'node:path';
import type { Problem } from '../contract/problem.ts';
import { type ProblemRecord, type ProblemSource, problemRecord, problemText } from '../contract/problem-text.ts';
import { documentOf } from '../controller/compile/document-of.ts';
import type { Verdict } from '../controller/compile/verdict.ts';

/** How many problems of one file people are shown. */
const MOST_SHOWN = 100;

/** Every problem of these files as people read it, a blank line between two. */
export function verdictText(verdicts: readonly Verdict[]): string {
  return verdicts.flatMap(verdictProblems).join('\n\n');
}

function verdictProblems(verdict: Verdict): string[] {
  if (verdict.problems.length === 0) return [];
  const source = sourceOf(verdict);
  const consequence = consequenceOf(verdict);
  const shown = worstOf(verdict.problems);
  const texts = inOrder(shown, source).map((problem) => problemText(problem, source));
  const more = verdict.problems.length - shown.length;
  const subject = subjectOf(verdict);
  if (more > 0) texts.push(`${subject}: and ${more} more`);
  return consequence === null ? texts : [...texts, `${subject}: ${consequence}`];
}

/** In one line, what comes of what is wrong with a file. */
export function verdictLine(verdict: Verdict): string {
  const [first, ...more] = inOrder(worstOf(verdict.problems), sourceOf(verdict));
  const rest = more.length === 0 ? '' : `, and ${more.length} more`;
  return `${subjectOf(verdict)}: ${consequenceOf(verdict) ?? `${first?.message ?? ''}${rest}`}`;
}

/** What a verdict is about, as people find it. */
export function subjectOf({ file, within }: Verdict): string {
  return within === undefined ? shownPath(file.path) : `${shownPath(file.path)}, ${within.label}`;
}

/** Errors before warnings, as many as somebody would read. */
function worstOf(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= MOST_SHOWN) return problems;
  const isError = ({ severity }: Problem): boolean => severity === 'error';
  const others = problems.filter((problem) => !isError(problem));
  return [...problems.filter(isError), ...others].slice(0, MOST_SHOWN);
}

function consequenceOf({ serves, role, route, hidesRoutes }: Verdict): string | null {
  if (role === 'stray' || role === 'resource' || serves === 'waits') return null;
  if (serves === 'last-good') {
    return role === 'directory' ? 'ITS LAST ROUTES KEEP SERVING' : 'THE LAST GOOD VERSION KEEPS SERVING';
  }
  if (serves === 'refuses') {
    const whose = route?.condition === null ? 'EVERY REQUEST THAT REACHES IT IS' : 'ITS REQUESTS ARE';
    return `${whose} REFUSED WITH 500 until it is sound`;
  }
  if (serves === 'this') return null;
  if (role === 'route') return 'NOT LOADED: other routes may take its requests';
  return `NOT LOADED: nothing is served until it is sound${hidesRoutes === true ? ', and its routes are not checked' : ''}`;
}

/** Problems in the order in which somebody who reads the file comes across them. */
function inOrder(problems: readonly Problem[], source: ProblemSource): Problem[] {
  const places = new Map(problems.map((problem) => [problem, problemRecord(problem, source)]));
  const lineOf = (problem: Problem): number => places.get(problem)?.line ?? 0;
  const columnOf = (problem: Problem): number => places.get(problem)?.column ?? 0;
  return problems.toSorted((a, b) => lineOf(a) - lineOf(b) || columnOf(a) - columnOf(b));
}

/** Every problem of a file as programs read it. */
export function verdictRecords(verdict: Verdict): ProblemRecord[] {
  const source = verdict.problems.length === 0 ? {} : sourceOf(verdict);
  return inOrder(verdict.problems, source).map((problem) => problemRecord(problem, source));
}

function sourceOf({ file, route, within }: Verdict): ProblemSource {
  if (within !== undefined) {
    const { label, placeOf, isSecret } = within;
    const text = isSecret ? {} : { text: new TextDecoder().decode(file.content) };
    return { file: shownPath(file.path), ...text, placeOf, ...(label === '' ? {} : { label }) };
  }
  const { placeOf } = documentOf(file);
  return {
    file: shownPath(file.path),
    text: new TextDecoder().decode(file.content),
    placeOf,
    ...(route === null ? {} : { label: `route ${route.name}` }),
  };
}

/** A path as it is shortest from here. */
export function shownPath(path: string): string {
  const fromHere = relative('', path);
  return fromHere === '' || fromHere.startsWith('..') ? path : fromHere;
}
