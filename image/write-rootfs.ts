import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageContent } from './image-content.ts';
import { withFolders } from './image-entry.ts';

/** Writes the files of an image into a folder that is empty or not there yet, for builders that make layers themselves. */
export function writeRootfs({ layers }: ImageContent, folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty`);
  mkdirSync(folder, { recursive: true });
  const entries = layers.flatMap((layer) =>
    layer.entries.filter(({ kind, path }) => kind !== 'folder' || path === 'tmp'),
  );
  for (const entry of withFolders(entries)) {
    const path = join(folder, entry.path);
    if (entry.kind === 'link') symlinkSync(entry.target, path);
    else if (entry.kind === 'folder') mkdirSync(path);
    else writeFileSync(path, entry.content);
    if (entry.kind !== 'link') chmodSync(path, entry.mode); // past the umask
  }
}
