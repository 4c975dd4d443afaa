import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../../../platform/error-code.ts';

const CHUNK = 64 << 10;
/** Longest line that is read; longer ones are no events. */
const LONGEST_LINE = 4 << 20;
const END = 0x0a;

/** A file of lines, open for reading. */
export interface LineFile {
  readonly handle: FileHandle;
  readonly changed: number;
  readonly name: string;
}

/**
 * Opens a file of lines and those that were put aside for it, the oldest first. A rotation meanwhile hides none and shows
 * none twice: a file is the same under another name.
 *
 * @param rotated tells the names of files that were put aside; null where there are none
 */
export async function openLineFiles(path: string, rotated: RegExp | null): Promise<LineFile[]> {
  const files: LineFile[] = [];
  const seen = new Set<string>();
  try {
    await add(path);
    const names = rotated === null ? [] : await readdir(dirname(path)).catch(whereMissing([]));
    for (const name of names) if (rotated!.test(name)) await add(join(dirname(path), name));
  } catch (error) {
    await closeLineFiles(files);
    throw error;
  }
  const [current, ...aside] = files;
  if (current === undefined) return [];
  const isCurrent = current.name === basename(path);
  const older = isCurrent ? aside : files;
  older.sort((a, b) => a.changed - b.changed || a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
  return isCurrent ? [...older, current] : older;

  async function add(place: string): Promise<void> {
    const handle = await open(place, 'r').catch(whereMissing(null));
    if (handle === null) return;
    const { dev, ino, mtimeMs: changed } = await handle.stat();
    const identity = `${dev}:${ino}`;
    if (seen.has(identity)) await handle.close();
    else files.push({ handle, changed, name: basename(place) });
    seen.add(identity);
  }
}

export async function closeLineFiles(files: readonly LineFile[]): Promise<void> {
  await Promise.all(files.map(({ handle }) => handle.close()));
}

/** What is missing, or was deleted meanwhile, holds no lines. */
function whereMissing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return instead;
  };
}

/**
 * Reads the whole lines of a file in groups. Other work of the thread goes on between them. A line without an end is
 * still being written and is left out, and so are lines that are too long.
 */
export async function* linesOf({ handle }: LineFile): AsyncGenerator<readonly Buffer[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK);
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    const lines: Buffer[] = [];
    let from = 0;
    for (let end = chunk.indexOf(END); end >= 0 && end < bytesRead; end = chunk.indexOf(END, from)) {
      if (restBytes + end - from <= LONGEST_LINE) lines.push(Buffer.concat([...rest, chunk.subarray(from, end)]));
      rest = [];
      restBytes = 0;
      from = end + 1;
    }
    restBytes += bytesRead - from;
    if (restBytes <= LONGEST_LINE) rest.push(chunk.subarray(from, bytesRead));
    else rest = [];
    yield lines;
  }
}
