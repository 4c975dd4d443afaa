import { relative } from 'node:path';
import { type ProblemRecord, type ProblemSource, problemRecord, problemText } from '../contract/problem-text.ts';
import { documentOf } from '../controller/compile/document-of.ts';
import type { Verdict } from '../controller/compile/verdict.ts';

/** Every problem of these files as people read it, a blank line between two. */
export function verdictText(verdicts: readonly Verdict[]): string {
  return verdicts.flatMap(verdictProblems).join('\n\n');
}

function verdictProblems(verdict: Verdict): string[] {
  if (verdict.problems.length === 0) return [];
  const source = sourceOf(verdict);
  const consequence = consequences[verdict.serves];
  const texts = verdict.problems.map((problem) => problemText(problem, source));
  return consequence === null ? texts : [...texts, `${source.file}: ${consequence}`];
}

const consequences = {
  this: null,
  'last-good': 'THE LAST GOOD VERSION KEEPS SERVING',
  refuses: 'ITS REQUESTS ARE REFUSED WITH 500 until it is sound',
  nothing: 'NOT LOADED',
} as const;

/** Every problem of a file as programs read it. */
export function verdictRecords(verdict: Verdict): ProblemRecord[] {
  const source = verdict.problems.length === 0 ? {} : sourceOf(verdict);
  return verdict.problems.map((problem) => problemRecord(problem, source));
}

function sourceOf({ file, route }: Verdict): ProblemSource {
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
