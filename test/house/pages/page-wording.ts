import { lineAt, type SourceFile } from '../source-file.ts';

/** The page that quotes the phrases in order to replace them. */
const stylePage = 'docs/style.md';
/** Written by `npm run docs` from descriptions in code. */
const generated = /^docs\/(?:reference\/|resources\.md$)/;

/** Phrases that docs/style.md replaces, with their replacement. */
const replaced: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\breference product\b/gi, 'OpenIG'],
  [/\bWhoever\b/g, 'the user, client or part that acts'],
];

/** Phrases in hand-written pages that docs/style.md replaces; code and link targets are not read. */
export function wordingBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => /^(?:[A-Z]+|docs\/.*|examples\/.*|helm\/.*)\.md$/.test(path))
    .filter(({ path }) => path !== stylePage && !generated.test(path))
    .flatMap(({ path, text }) => {
      const prose = text.replace(/^```[\s\S]*?^```$|`[^`\n]*`|\]\([^)]*\)/gm, (code) => code.replace(/[^\n]/g, ' '));
      return replaced.flatMap(([phrase, instead]) =>
        [...prose.matchAll(phrase)].map(
          (match) => `${path}:${lineAt(text, match.index)}: '${match[0]}', write '${instead}'`,
        ),
      );
    });
}
