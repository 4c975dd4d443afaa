import { posix } from 'node:path';
import { maskCode } from '../mask.ts';
import type { SourceFile } from '../source-file.ts';

/** One import of a module, static, dynamic or by URL. */
export interface Import {
  readonly specifier: string;
  /** For relative specifiers the path from the root of the repository, else undefined. */
  readonly target: string | undefined;
  /** The names between the braces, as they are exported. */
  readonly names: readonly string[];
}

const importing = /(?:\bfrom|\bimport|\bimport\s*\(|\bnew\s+URL\s*\()\s*(?=(['"]))/g;
const namedBefore = /(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*$/;

/** The modules that a file names: imports, re-exports, dynamic imports and `new URL('./x.ts', …)`. */
export function importsOf(file: SourceFile): Import[] {
  const code = maskCode(file.text);
  return [...code.matchAll(importing)].flatMap((match) => {
    const start = match.index + match[0].length + 1;
    const specifier = file.text.slice(start, code.indexOf(match[1]!, start));
    const isRelative = /^\.{1,2}(?:\/|$)/.test(specifier);
    // A URL names a module only when it is relative and TypeScript.
    if (match[0].includes('URL') && !(isRelative && specifier.endsWith('.ts'))) return [];
    const names = namedBefore.exec(code.slice(0, match.index + match[0].length))?.[1] ?? '';
    return {
      specifier,
      target: isRelative ? posix.join(posix.dirname(file.path), specifier) : undefined,
      names: names
        .split(',')
        .map((name) => name.trim().replace(/^type\s+|\s+as\s+.*$/g, ''))
        .filter((name) => name !== ''),
    };
  });
}
