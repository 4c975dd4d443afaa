import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../platform/error-code.ts';

/** Somebody else has changed, created or removed the file meanwhile. */
export class FileChanged extends Error {
  constructor(path: string) {
    super(`the file ${basename(path)} was changed by somebody else`);
    this.name = 'FileChanged';
  }
}

/** Creates a file with all of its content at once. @throws FileChanged if there is one */
export function createFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  withTemporary(path, content, 0o640, (temporary) => {
    try {
      linkSync(temporary, path);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw new FileChanged(path);
      throw error;
    }
  });
}

/**
 * Replaces a file at once, and keeps its mode: it may hold what others must not read.
 *
 * @throws FileChanged if its content is not the expected one
 */
export function replaceFile(path: string, expected: Uint8Array, content: string | Uint8Array): void {
  withTemporary(path, content, 0o600, (temporary) => {
    expectContent(path, expected);
    chmodSync(temporary, statSync(path).mode & 0o777);
    renameSync(temporary, path);
  });
}

/** Returns when a file was written; null if there is none. */
export function modifiedAt(path: string): Date | null {
  return statSync(path, { throwIfNoEntry: false })?.mtime ?? null;
}

/** Removes a file. @throws FileChanged if its content is not the expected one */
export function removeFile(path: string, expected: Uint8Array): void {
  expectContent(path, expected);
  rmSync(path);
}

/** The temporary file is beside the file, where a rename is atomic; its name keeps readers of documents away. */
function withTemporary(
  path: string,
  content: string | Uint8Array,
  mode: number,
  use: (temporary: string) => void,
): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}`);
  try {
    const file = openSync(temporary, 'wx', mode);
    try {
      writeFileSync(file, content);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    use(temporary);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function expectContent(path: string, expected: Uint8Array): void {
  let found: Buffer;
  try {
    found = readFileSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw new FileChanged(path);
    throw error;
  }
  if (Buffer.compare(found, expected) !== 0) throw new FileChanged(path);
}
