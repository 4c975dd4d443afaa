import { importsOf } from './imports/imports.ts';
import { maskCode } from './mask.ts';
import { isTypeScript, isTypeScriptIn, lineAt, programFolders, type SourceFile } from './source-file.ts';
import { typeDeclarations } from './type-declaration.ts';

const longestFile = 400;

const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Names that say nothing about what a file holds. */
const emptyName = /^(?:index|types?|common|misc)$|(?:^|-)(?:utils?|helpers?|managers?)$/;
/** Names of products and protocols that end with such a word. */
const properNames: ReadonlySet<string> = new Set(['access-manager']);

/** Files and folders whose name is not in kebab-case or says nothing; the name of a type of objects says something. */
export function nameBreaches(files: readonly SourceFile[]): string[] {
  const typeNames = new Set(files.flatMap(typeDeclarations).map(({ type }) => type.toLowerCase()));
  return files.filter(isTypeScript).flatMap(({ path }) => {
    const names = path.replace(/(?:\.test|\.config|\.d)?\.tsx?$/, '').split('/');
    return names.flatMap((name) => {
      if (!kebabCase.test(name)) return [`${path}: '${name}' is not in kebab-case`];
      return emptyName.test(name) && !properNames.has(name) && !typeNames.has(name.replaceAll('-', ''))
        ? [`${path}: '${name}' does not say what it holds`]
        : [];
    });
  });
}

/** Source files that hold more than one idea. */
export function lengthBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isTypeScriptIn(file, programFolders))
    .map(({ path, text }) => ({ path, lines: lineAt(text, text.length) }))
    .filter(({ lines }) => lines > longestFile)
    .map(({ path, lines }) => `${path}: ${lines} lines are more than ${longestFile}`);
}

/** Default exports and `export *`, which hide the name of a thing from a search. */
export function exportBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isTypeScript(file) && file.path !== 'vitest.config.ts')
    .flatMap(({ path, text }) =>
      [...maskCode(text).matchAll(/\bexport\s+(?:default\b|\*)|\bexport\s*\{[^}]*\bas\s+default\b/g)].map(
        (match) => `${path}:${lineAt(text, match.index)} exports by default or wholesale`,
      ),
    );
}

/** Classes that inherit from a class of ours; those of Node.js and the language may be extended. */
export function inheritanceBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isTypeScriptIn(file, programFolders))
    .flatMap((file) => {
      const code = maskCode(file.text);
      const ours = new Set([
        ...importsOf(file).flatMap(({ target, names }) => (target === undefined ? [] : names)),
        ...[...code.matchAll(/\bclass\s+(\w+)/g)].map((match) => match[1]!),
      ]);
      return [...code.matchAll(/\babstract\s+class\b|\bclass\b(?:\s+\w+)?(?:<[^{]*>)?\s+extends\s+(\w+)/g)]
        .filter((match) => match[1] === undefined || ours.has(match[1]))
        .map((match) => `${file.path}:${lineAt(file.text, match.index)} inherits; compose functions instead`);
    });
}
