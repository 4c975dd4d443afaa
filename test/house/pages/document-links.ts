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

/** Links to a heading that the document does not have. */
export function headingBreaches(files: readonly SourceFile[]): string[] {
  const pages = files.filter((file) => file.path.endsWith('.md'));
  const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)#\s]*)#([^)\s]+)\)/g)].flatMap(([, link = '', anchor = '']) => {
      const target = link === '' ? path : posix.join(posix.dirname(path), link);
      const known = anchors.get(target);
      return known === undefined || known.has(anchor) ? [] : [`${path}: ${link}#${anchor} has no heading`];
    }),
  );
}

/** Anchors of the headings of a page, as GitHub derives them. */
function anchorsOf(text: string): Set<string> {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  const headings = [...prose.matchAll(/^#+ (.*)$/gm)].map((match) => match[1]!);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}
