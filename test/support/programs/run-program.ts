import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The executable that users start. */
export const gatewarden = fileURLToPath(new URL('../../../cli/gatewarden', import.meta.url));

/** How a program ended and what it printed. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program that is expected to end by itself. */
export function runProgram(
  program: string,
  words: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Promise<Outcome> {
  const { input, ...rest } = options;
  return new Promise((resolve) => {
    const child = execFile(program, words, { ...rest, timeout: 240_000, maxBuffer: 1 << 26 }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
    if (input !== undefined) child.stdin?.end(input);
  });
}
