import { maskCode } from './mask.ts';
import { isTypeScriptIn, lineAt, type SourceFile } from './source-file.ts';

/** Folders with code that runs for each request. */
const FOLDERS = [
  'dataplane/engine',
  'dataplane/routes',
  'dataplane/filters',
  'dataplane/backends',
  'dataplane/scripts',
];

/** Tables of methods, by signature, which are filled once. */
const TABLES = 'dataplane/scripts/groovy/library/';

/** A property or an item, and the function that is made for it. */
const ASSIGNED =
  /(?:\.#?[\w$]+|\[[^[\]'"]+\])\s*(?:\?\?|\|\||&&)?=\s*(?:async\b\s*)?(?:function\b|(?:\((?:[^()]|\([^()]*\))*\)(?:\s*:[^=;{}]+)?|[\w$]+)\s*=>)/g;

/**
 * Functions that are made in the assignment to a property. V8 puts them among the old objects at once, where they keep
 * everything that they can reach until the next full collection.
 */
export function assignedFunctions(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isTypeScriptIn(file, FOLDERS))
    .flatMap(({ path, text }) =>
      [...maskCode(text).matchAll(ASSIGNED)]
        .filter(([found]) => !(path.startsWith(TABLES) && found.startsWith('[')))
        .map(
          (match) => `${path}:${lineAt(text, match.index)} assigns a new function to a property: give it a name first`,
        ),
    );
}
