import { open, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { errorCode } from '../../platform/error-code.ts';

/** A file that may be served, as it was when it was found. */
export interface FoundFile {
  /** As it was asked for, without its directories. */
  readonly name: string;
  /** Where it is, behind all symbolic links. */
  readonly path: string;
  readonly size: number;
  /** In milliseconds since 1970. */
  readonly modified: number;
}

/** Entry at a path: a file, a directory, or nothing that may be served. */
export type Found = FoundFile | 'directory' | null;

/** Looks below a root directory; whatever lies outside of it behind symbolic links is not there. */
export async function findFile(root: string, segments: readonly string[]): Promise<Found> {
  try {
    const top = await realpath(root);
    const path = await realpath(join(top, ...segments));
    if (path !== top && !path.startsWith(top.endsWith(sep) ? top : top + sep)) return null;
    const found = await stat(path);
    if (found.isDirectory()) return 'directory';
    return found.isFile() ? { name: segments.at(-1) ?? '', path, size: found.size, modified: found.mtimeMs } : null;
  } catch (error) {
    if (isAbsence(error)) return null;
    throw error;
  }
}

/** The content of a file. It is opened when somebody begins to read, so that what nobody reads holds nothing open. */
export async function* contentOf(file: FoundFile): AsyncGenerator<Uint8Array, void, void> {
  const handle = await open(file.path, 'r');
  try {
    // a file that grows while it is sent is sent as it was announced
    yield* handle.createReadStream({ autoClose: false, end: file.size - 1, highWaterMark: 65_536 });
  } finally {
    await handle.close();
  }
}

/** Names that lead nowhere, and what the gateway may not read: a client learns no difference. */
const ABSENCES = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG']);

function isAbsence(error: unknown): boolean {
  return ABSENCES.has(errorCode(error) ?? '');
}
