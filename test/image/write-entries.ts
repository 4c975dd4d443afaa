import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TarEntry } from './tar-entries.ts';

/** Writes the entries of archives into a folder, later ones on top of earlier ones. */
export function writeEntries(entries: readonly TarEntry[], folder: string): void {
  for (const { kind, path, target, content, mode } of entries) {
    const to = join(folder, path);
    if (kind === 'folder') mkdirSync(to, { recursive: true });
    else if (kind === 'link') symlinkSync(target, to);
    else writeFileSync(to, content);
    if (kind === 'file') chmodSync(to, mode);
  }
}
