import { lineAt, type SourceFile } from './source-file.ts';

/** Rooms whose comments follow docs/style.md throughout. */
const ROOMS = ['contract/crest/', 'controller/manage/', 'dataplane/scripts/', 'platform/admin/'];

/** First words that name no thing. */
const OPENING = /(?:\/\/|\/\*\*|^\s*\*) +(?:What|Whether|How|Where|Who|Whoever|Whom|Which|Those)\b/gm;

/** Comments that begin with a word that docs/style.md does not allow there. */
export function openingBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path.endsWith('.ts') && ROOMS.some((room) => path.startsWith(room)))
    .flatMap(({ path, text }) =>
      [...text.matchAll(OPENING)].map(
        (match) => `${path}:${lineAt(text, match.index)} begins with '${match[0].trim()}'`,
      ),
    );
}
