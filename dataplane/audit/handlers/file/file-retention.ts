import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../../platform/error-code.ts';
import type { RetentionOptions } from './file-options.ts';

interface RotatedFile {
  readonly path: string;
  readonly bytes: number;
  readonly changed: number;
}

/** What retention did, and whether it reached its limits. */
export interface Retained {
  readonly deleted: number;
  /** Bytes of the file system that are missing although all rotated files are gone; 0 for none. */
  readonly missing: number;
}

/**
 * Deletes the oldest rotated files until the limits hold.
 *
 * @param rotated tells the names of rotated files from those of others, which are never deleted
 * @param current bytes of the file that is written
 */
export async function retainFiles(
  directory: string,
  rotated: RegExp,
  current: number,
  { maxFiles, maxBytes, minFreeBytes }: RetentionOptions,
): Promise<Retained> {
  if (maxFiles === null && maxBytes === null && minFreeBytes === null) return { deleted: 0, missing: 0 };
  const files = await rotatedFiles(directory, rotated);
  let bytes = files.reduce((sum, file) => sum + file.bytes, current);
  let missing = minFreeBytes === null ? 0 : minFreeBytes - (await freeBytes(directory));
  let deleted = 0;
  for (const [at, file] of files.entries()) {
    const isTooMany = maxFiles !== null && files.length - at > maxFiles;
    if (!isTooMany && !(maxBytes !== null && bytes > maxBytes) && missing <= 0) break;
    await rm(file.path, { force: true });
    deleted++;
    bytes -= file.bytes;
    missing -= file.bytes;
  }
  return { deleted, missing: Math.max(0, missing) };
}

/** Rotated files, the oldest first. */
async function rotatedFiles(directory: string, rotated: RegExp): Promise<RotatedFile[]> {
  const names = (await readdir(directory)).filter((name) => rotated.test(name));
  const files: RotatedFile[] = [];
  for (const name of names) {
    const path = join(directory, name);
    try {
      const { size: bytes, mtimeMs: changed } = await stat(path);
      files.push({ path, bytes, changed });
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error; // somebody else deleted it
    }
  }
  return files.sort((a, b) => a.changed - b.changed || byName(a.path, b.path));
}

/** Names of one moment have numbers without leading zeros. */
function byName(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}
