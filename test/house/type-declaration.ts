import { maskCode } from './mask.ts';
import type { SourceFile } from './source-file.ts';

/** An exported `defineFilter({ type: 'ThrottlingFilter', … })` or its like. */
export interface TypeDeclaration {
  readonly path: string;
  /** What follows `define`, such as `Filter`. */
  readonly kind: string;
  readonly exportName: string | undefined;
  readonly type: string;
}

const declaration =
  /(?:\bexport\s+const\s+(\w+)\s*(?::[^=]+)?=\s*)?\bdefine([A-Z]\w*)\s*(?:<[^(]*>)?\(\s*\{\s*type\s*:\s*(?=['"])/g;

/** The types of objects that a file of the data plane declares. */
export function typeDeclarations(file: SourceFile): TypeDeclaration[] {
  if (!file.path.startsWith('dataplane/') || !file.path.endsWith('.ts')) return [];
  const code = maskCode(file.text);
  return [...code.matchAll(declaration)].map((match) => {
    const start = match.index + match[0].length + 1;
    const type = file.text.slice(start, code.indexOf(code[start - 1]!, start));
    return { path: file.path, kind: match[2]!, exportName: match[1], type };
  });
}

export function declaresType(file: SourceFile): boolean {
  return typeDeclarations(file).length > 0;
}

/** Breaches of "type in the configuration = export = file". */
export function typeNameBreaches(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const declarations = typeDeclarations(file);
    if (declarations.length > 1) return [`${file.path}: declares ${declarations.length} types, one file holds one`];
    return declarations.flatMap(({ kind, exportName, type }) => {
      const stem = squeeze(file.path.slice(file.path.lastIndexOf('/') + 1, -'.ts'.length));
      const problems: string[] = [];
      if (stem !== squeeze(type) && stem + squeeze(kind) !== squeeze(type)) {
        problems.push(`${file.path}: the file is not named after its type ${type}`);
      }
      // Letters are compared without case, because OAuth2Filter reads best as oauth2Filter.
      if (exportName === undefined || !/^[a-z]/.test(exportName) || squeeze(exportName) !== squeeze(type)) {
        problems.push(`${file.path}: ${exportName ?? 'no export'} is not the name of its type ${type}`);
      }
      return problems;
    });
  });
}

/** Types that the groups of the catalogue do not list exactly once. */
export function catalogueBreaches(files: readonly SourceFile[]): string[] {
  const groups = files.filter(({ path }) => path.startsWith('dataplane/catalogue/groups/'));
  const code = groups.map(({ text }) => maskCode(text).replace(/\bimport\b[^;]*;/g, '')).join('\n');
  return files.flatMap(typeDeclarations).flatMap(({ path, exportName, type }) => {
    const listed = [...code.matchAll(/\w+/g)].filter(([word]) => word === exportName).length;
    return listed === 1 ? [] : [`${path}: dataplane/catalogue/groups/ lists ${type} ${listed} times instead of once`];
  });
}

function squeeze(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}
