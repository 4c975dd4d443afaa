import { accessSync, constants, mkdirSync, statSync } from 'node:fs';

/** Makes the directory for temporary files if it is missing. @throws Error when no files can be made there. */
export function makeTemporaryDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (!statSync(path).isDirectory()) throw new Error('it is not a directory');
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`temporaryDirectory of admin.json, ${path}, cannot be used: ${reason}`);
  }
}
