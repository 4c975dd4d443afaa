import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('../../../image/build-console.ts', import.meta.url));

/** Builds the console of this checkout, as `npm run console` does. */
export async function buildConsole(): Promise<void> {
  await promisify(execFile)(process.execPath, [program, '--quiet']);
}
