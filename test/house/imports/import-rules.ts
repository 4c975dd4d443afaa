import { isBuiltin } from 'node:module';
import { maskCode } from '../mask.ts';
import { isTypeScript, isTypeScriptIn, lineAt, type SourceFile } from '../source-file.ts';
import { declaresType } from '../type-declaration.ts';
import { importsOf } from './imports.ts';

/** Which top-level folders of ours a folder may import; one that is not named here may import any. */
const mayImport = new Map([
  ['contract', ['contract']],
  ['platform', ['contract', 'platform']],
  ['controller', ['contract', 'platform', 'controller']],
  ['dataplane', ['contract', 'platform', 'dataplane']],
  ['cli', ['contract', 'platform', 'controller', 'dataplane', 'cli']],
  ['console', ['contract', 'console']],
]);

/** Rooms whose files are types of objects and what these share. */
const typeRooms: ReadonlySet<string> = new Set(['dataplane/filters/', 'dataplane/handlers/', 'dataplane/throttling/']);

/** Rooms that every type may import. */
const libraries = [
  'contract/',
  'platform/',
  'dataplane/heap/',
  'dataplane/engine/',
  'dataplane/backends/',
  'dataplane/jose/',
  'dataplane/openid/',
];

/** What computes and does nothing else, so that both planes can rely on the same answer. */
const pureBuiltins = new Set(['node:buffer', 'node:crypto', 'node:url', 'node:util']);

const impure = /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask|fetch)\s*\(|\b(?:process|console)\s*\./g;

/** Breaches of "who may import whom". */
export function importBreaches(files: readonly SourceFile[]): string[] {
  const typeFiles = new Set(files.filter(declaresType).map((file) => file.path));
  return files
    .filter(isTypeScript)
    .flatMap((file) =>
      importsOf(file).flatMap(({ specifier, target }) =>
        [
          target !== undefined && !/\.tsx?$/.test(target) && 'a relative import must end in .ts or .tsx',
          folderBreach(file, target),
          typeBreach(file, target, typeFiles),
          packageBreach(file, specifier),
          browserBreach(file, specifier, target, files),
        ]
          .filter((problem) => typeof problem === 'string')
          .map((problem) => `${file.path} imports ${specifier}: ${problem}`),
      ),
    );
}

/** Places where `contract/` does more than compute. */
export function purityBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isTypeScriptIn(file, ['contract']))
    .flatMap((file) =>
      [...maskCode(file.text).matchAll(impure)].map(
        (match) => `${file.path}:${lineAt(file.text, match.index)} uses ${match[0]}: contract/ is pure`,
      ),
    );
}

function folderBreach(file: SourceFile, target: string | undefined): string | undefined {
  const from = topFolder(file.path);
  const allowed = mayImport.get(from);
  if (target === undefined || allowed === undefined || allowed.includes(topFolder(target))) return undefined;
  return `${from}/ imports only ${allowed.map((folder) => `${folder}/`).join(', ')}`;
}

/** Types of objects depend on what all share and on what their folder shares, never on each other or the catalogue. */
function typeBreach(file: SourceFile, target: string | undefined, typeFiles: ReadonlySet<string>): string | undefined {
  const room = roomOf(file.path);
  if (target === undefined || !(typeRooms.has(room) || typeFiles.has(file.path))) return undefined;
  const isLibrary = libraries.some((library) => target.startsWith(library));
  if (isLibrary || (target.startsWith(room) && !typeFiles.has(target))) return undefined;
  return `a type imports only ${libraries.join(', ')} and what its own room shares`;
}

function packageBreach(file: SourceFile, specifier: string): string | undefined {
  if (/^@kubernetes\/client-node(?:\/|$)/.test(specifier) && !file.path.startsWith('controller/cluster/')) {
    return 'only controller/cluster/ knows Kubernetes';
  }
  if (isBuiltin(specifier) && !specifier.startsWith('node:')) return 'a module of Node.js is named with node:';
  if (file.path.startsWith('contract/') && isBuiltin(specifier) && !pureBuiltins.has(specifier)) {
    return `contract/ is pure; of Node.js it imports only ${[...pureBuiltins].join(', ')}`;
  }
  if (file.path.startsWith('platform/') && !specifier.startsWith('.') && !isBuiltin(specifier)) {
    return 'platform/ imports no packages, so that importing it costs nothing';
  }
  return undefined;
}

/** Packages that the console brings to browsers; the editor is loaded when somebody designs a route. */
const browserPackages = /^(?:preact|yaml|@codemirror\/(?:state|view))(?:\/|$)/;

/** The console runs in browsers: its own files, its packages, and parts of the contract that need nothing else. */
function browserBreach(
  file: SourceFile,
  specifier: string,
  target: string | undefined,
  files: readonly SourceFile[],
): string | undefined {
  if (!file.path.startsWith('console/')) return undefined;
  if (target === undefined)
    return browserPackages.test(specifier)
      ? undefined
      : 'of packages, console/ imports only preact, yaml and CodeMirror';
  if (!target.startsWith('contract/')) return undefined;
  const foreign = packagesBehind(target, files).filter((name) => !browserPackages.test(name));
  return foreign.length === 0 ? undefined : `browsers do not have ${foreign.join(', ')}, which it needs`;
}

/** Packages and modules of Node.js that a file and all that it imports need. */
function packagesBehind(path: string, files: readonly SourceFile[]): string[] {
  const seen = new Set<string>();
  const found = new Set<string>();
  const visit = (at: string): void => {
    const file = files.find((one) => one.path === at);
    if (file === undefined || seen.has(at)) return;
    seen.add(at);
    for (const { specifier, target } of importsOf(file)) {
      if (target === undefined) found.add(specifier);
      else visit(target);
    }
  };
  visit(path);
  return [...found];
}

/** The room of a plane that a file is in, whichever folder of the room: `dataplane/filters/`. */
function roomOf(path: string): string {
  return `${path.split('/', 2).join('/')}/`;
}

function topFolder(path: string): string {
  return path.split('/', 1)[0]!;
}
