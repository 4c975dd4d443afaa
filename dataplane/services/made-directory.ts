import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory for this program alone, with those above it that are missing. Node.js can do that by itself, but
 * tries forever where the kernel says that what is there is missing, as below /proc.
 * @returns the first that was made, or undefined when it was there. @throws Error when it cannot be made.
 */
export function makeDirectory(path: string): string | undefined {
  if (isDirectory(path)) return undefined;
  const failure = tryToMake(path);
  if (failure === null) return path;
  const above = dirname(path);
  if (failure.code !== 'ENOENT' || above === path) throw failure;
  const made = makeDirectory(above);
  const again = tryToMake(path);
  if (again !== null) throw again;
  return made ?? path;
}

/** @returns why it is not there, or null. */
function tryToMake(path: string): NodeJS.ErrnoException | null {
  try {
    mkdirSync(path, { mode: 0o700 });
    return null;
  } catch (error) {
    // somebody else may have made it meanwhile
    return isDirectory(path) ? null : (error as NodeJS.ErrnoException);
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
