import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file of the tree: its path from the root of the repository, with forward slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The root of the repository, without a slash at its end. */
export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The top-level folders that the program is made of. */
export const programFolders = ['contract', 'platform', 'controller', 'dataplane', 'cli', 'console'];

const skipped = new Set(['node_modules', '.git', 'out', 'bench/out']);
const textFile =
  /(?:^|\/)[^./]+$|\.(?:ts|tsx|mts|js|mjs|cjs|json|jsonl|md|yaml|yml|sh|c|h|svg|css|html|conf|cfg|txt|gitignore)$/;

/** Every text file of the repository that is written by hand. */
export function readRepository(): SourceFile[] {
  return listFiles('').map((path) => ({ path, text: readFileSync(`${repositoryRoot}/${path}`, 'utf8') }));
}

/** Whether the file is TypeScript, with markup or without. */
export function isTypeScript({ path }: SourceFile): boolean {
  return path.endsWith('.ts') || path.endsWith('.tsx');
}

/** Whether the file is TypeScript that lies under one of the folders. */
export function isTypeScriptIn(file: SourceFile, folders: readonly string[]): boolean {
  return isTypeScript(file) && folders.some((folder) => file.path.startsWith(`${folder}/`));
}

/** The line of the text that holds the offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function listFiles(folder: string): string[] {
  return readdirSync(`${repositoryRoot}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (skipped.has(entry.name) || skipped.has(path)) return [];
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() && textFile.test(path) ? [path] : [];
  });
}
