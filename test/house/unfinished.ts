import { lineAt, type SourceFile } from './source-file.ts';

// Brackets keep these patterns from finding themselves.
const unfinished = /\b(?:TOD[O]|FIXM[E]|XX[X]|HAC[K])\b/g;
const machinePath = /(?<![\w.~:/-])\/(?:home\/[\w.-]+|Users\/[\w.-]+|root|work|workspace|mnt\/[\w.-]+|builds)\/[\w.-]/g;

/** Files that nobody wrote by hand here. */
const foreign = new Set(['LICENSE', 'package-lock.json']);

/** Words that say "later" in a tree that is supposed to be finished at every commit. */
export function unfinishedBreaches(files: readonly SourceFile[]): string[] {
  return findings(files, unfinished, 'is a note of unfinished work');
}

/** Paths that exist on one machine only; `checkout` is where this copy of the repository lies. */
export function machinePathBreaches(files: readonly SourceFile[], checkout: string): string[] {
  // A checkout directly under the root, such as /app, may well be a path that a file means.
  const isTelling = checkout.split('/').length > 2;
  return [
    ...findings(files, machinePath, 'is a path of one machine'),
    ...(isTelling ? findings(files, new RegExp(`${RegExp.escape(checkout)}\\b`, 'g'), 'is where this copy lies') : []),
  ];
}

function findings(files: readonly SourceFile[], pattern: RegExp, verdict: string): string[] {
  return files
    .filter(({ path }) => !foreign.has(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map((match) => `${path}:${lineAt(text, match.index)} '${match[0]}' ${verdict}`),
    );
}
