import { execFile } from 'node:child_process';
import { basename } from 'node:path';

export interface ToolCall {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** Words before the others that a failure need not show. */
  readonly hidden?: readonly string[];
}

/** What a program of others printed. @throws with what it said on its other output */
export function toolOutput(
  program: string,
  words: readonly string[],
  { env = process.env, input = '', hidden = [] }: ToolCall = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...hidden, ...words], { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${basename(program)} ${words.join(' ')}: ${stderr}${stdout}`));
    });
    child.stdin?.on('error', () => {}); // it may end without reading
    child.stdin?.end(input);
  });
}
