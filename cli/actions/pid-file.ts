import { readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '../../dataplane/services/made-directory.ts';
import { errorCode } from '../../platform/error-code.ts';
import { errorText } from '../../platform/error-text.ts';

export interface PidFileOptions {
  readonly path: string;
  /** What to do when the file names another process that lives. */
  readonly mode: 'fail' | 'override';
  warn(text: string): void;
}

/**
 * Writes the id of this process to a file, so that an instance is served once and can be found. @returns what removes
 * the file, unless it is somebody else's by then. @throws Error when another process that lives has it.
 */
export function claimPidFile({ path, mode, warn }: PidFileOptions): () => void {
  const own = `${process.pid}\n`;
  let made: string | undefined;
  try {
    made = makeDirectory(dirname(path));
    while (!written(path, own)) {
      const holder = holderOf(path);
      const lives = holder !== null && holder !== process.pid && isAlive(holder);
      if (lives && mode === 'fail') throw new InstanceIsServed(path, holder);
      warn(
        lives
          ? `${path} is overwritten, as pidFileMode says, although process ${holder} is running`
          : `${path} was left behind by a process that no longer runs; it is overwritten`,
      );
      rmSync(path, { force: true });
    }
  } catch (error) {
    if (error instanceof InstanceIsServed) throw error;
    // a read-only instance is served as well as any other
    warn(`the process id cannot be written to ${path}: ${errorText(error)}`);
    return () => {};
  }
  return () => release(path, own, made);
}

class InstanceIsServed extends Error {
  constructor(path: string, holder: number) {
    super(
      `process ${holder} already serves this instance, according to ${path}; stop it, or set pidFileMode of admin.json to ` +
        "'override' if that is another program",
    );
    this.name = 'InstanceIsServed';
  }
}

/** @returns false when there is such a file already. */
function written(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o644 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function holderOf(path: string): number | null {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : null;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM'; // it lives, and belongs to somebody else
  }
}

function release(path: string, own: string, made: string | undefined): void {
  try {
    if (readFileSync(path, 'utf8') !== own) return;
    rmSync(path);
    if (made !== undefined) rmdirSync(dirname(path)); // fails while something else is in it
  } catch {
    // it is gone, or in use, and nobody is left to be told
  }
}
