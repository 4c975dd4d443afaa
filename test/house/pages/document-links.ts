import { posix } from 'node:path';
import type { SourceFile } from '../source-file.ts';

/** Links between documents that lead nowhere; `exists` is asked with a path from the root of the repository. */
export function linkBreaches(files: readonly SourceFile[], exists: (path: string) => boolean): string[] {
  return files
    .filter((file) => file.path.endsWith('.md'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
        .map((match) => match[1]!)
        .filter((link) => !/^[a-z]+:/.test(link) && !exists(posix.join(posix.dirname(path), link)))
        .map((link) => `${path}: ${link} does not exist`),
    );
}
