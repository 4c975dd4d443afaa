import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../platform/error-code.ts';
import { makeDirectory } from './made-directory.ts';

/** Linux makes a file that never has a name; Node.js has no name for the flag. */
const TEMPORARY = process.platform === 'linux' ? constants.O_RDWR | constants.O_DIRECTORY | 0o20000000 : null;

/** A file that nobody else can open and that ends with its handle. The directory is made if it is missing. */
export async function openNameless(directory: string): Promise<FileHandle> {
  try {
    return await openIn(directory);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    makeDirectory(directory);
    return openIn(directory);
  }
}

async function openIn(directory: string): Promise<FileHandle> {
  if (TEMPORARY === null) return openUnlinked(directory);
  try {
    return await open(directory, TEMPORARY, 0o600);
  } catch (error) {
    // not every file system can do it
    if (!['EISDIR', 'EOPNOTSUPP', 'EINVAL'].includes(errorCode(error) ?? '')) throw error;
    return openUnlinked(directory);
  }
}

/** Its name cannot be guessed, and is gone at once. */
async function openUnlinked(directory: string): Promise<FileHandle> {
  const path = join(directory, `gatewarden-${randomBytes(16).toString('hex')}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Writes all of these, one after the other, from a position on. */
export async function writeAt(file: FileHandle, chunks: readonly Buffer[], position: number): Promise<void> {
  let at = position;
  for (let left = chunks; left.length > 0; ) {
    const { bytesWritten } = await file.writev(left, at);
    at += bytesWritten;
    left = after(left, bytesWritten);
  }
}

/** What is left of chunks behind so many bytes. */
function after(chunks: readonly Buffer[], bytes: number): readonly Buffer[] {
  let passed = 0;
  for (const [index, chunk] of chunks.entries()) {
    if (passed + chunk.length > bytes) return [chunk.subarray(bytes - passed), ...chunks.slice(index + 1)];
    passed += chunk.length;
  }
  return [];
}
