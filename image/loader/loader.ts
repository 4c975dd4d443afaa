/** Starts the program in the image with the compiled code that lies beside it. */
import { existsSync, readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { programFiles } from './program-files.ts';

/** Runs a file of a folder. */
export function start(folder: string, name: string): void {
  programFiles(folder, compiled)(name);
}

/** V8 compiles by itself where the compiled code is missing, or is of another V8 or of other flags. */
function compiled(path: string, text: string, filename: string): Script {
  const cache = `${path}.cache`;
  return new Script(text, existsSync(cache) ? { filename, cachedData: readFileSync(cache) } : { filename });
}
