import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Copies the program to a folder, without one type of object, as a version from before that type would be.
 * @param type the name of its definition in the catalogue
 * @returns the path of the executable
 */
export function olderProgram(folder: string, type: string): string {
  for (const part of ['cli', 'contract', 'controller', 'dataplane', 'package.json']) {
    cpSync(join(repository, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
  const catalogue = join(folder, 'dataplane', 'catalogue.ts');
  const text = readFileSync(catalogue, 'utf8');
  const without = text.replace(new RegExp(`^ {4}${type},\\n`, 'm'), '');
  if (without === text) throw new Error(`the catalogue has no ${type}`);
  writeFileSync(catalogue, without);
  return join(folder, 'cli', 'gatewarden');
}
