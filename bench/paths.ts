import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where things lie in the repository and where the bench puts what it makes. */
export const repository = dirname(import.meta.dirname);
export const bench = import.meta.dirname;
export const out = join(bench, 'out');

/** The Node.js that package.json pins, or the one that runs this when nothing is installed. */
export function pinnedNode(): string {
  const pinned = join(repository, 'node_modules', '.bin', 'node');
  return existsSync(pinned) ? pinned : process.execPath;
}

export function outFolder(...names: string[]): string {
  const folder = join(out, ...names);
  mkdirSync(folder, { recursive: true });
  return folder;
}
