import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Where downloads are kept; whatever lies there is used only if its hash is the wanted one. */
export function downloadsFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'gatewarden', 'image');
}

/** Something that is known by its hash, and how to get it. */
export interface Download {
  /** What people call it. */
  readonly title: string;
  readonly file: string;
  readonly algorithm: 'sha256' | 'sha512';
  /** The hash in base64. */
  readonly hash: string;
  /** Puts the one file into an empty folder. */
  fetch(folder: string): Promise<void>;
}

/** The path of the file, downloaded unless it is there. @throws Error when what comes is not what was asked for */
export async function downloaded(download: Download): Promise<string> {
  const folder = downloadsFolder();
  const path = join(folder, download.file);
  if (existsSync(path) && hashOf(path, download.algorithm) === download.hash) return path;
  mkdirSync(folder, { recursive: true });
  const incoming = mkdtempSync(join(folder, 'incoming-'));
  try {
    await download.fetch(incoming).catch((error: unknown) => {
      const hint = `put it there by hand: ${path} (${download.algorithm} ${download.hash})`;
      throw new Error(`${download.title} cannot be downloaded; ${hint}\n${messageOf(error)}`);
    });
    const [name] = readdirSync(incoming);
    if (name === undefined) throw new Error(`${download.title} was downloaded, but nothing came`);
    const found = hashOf(join(incoming, name), download.algorithm);
    if (found !== download.hash) {
      throw new Error(`${download.title} has ${download.algorithm} ${found} in place of ${download.hash}`);
    }
    renameSync(join(incoming, name), path);
    return path;
  } finally {
    rmSync(incoming, { recursive: true, force: true });
  }
}

/** Runs a program to its end and gives what it printed. @throws Error with what it complained about */
export async function output(program: string, words: readonly string[], cwd?: string): Promise<string> {
  const options = { encoding: 'utf8', maxBuffer: 2 ** 28, ...(cwd === undefined ? {} : { cwd }) } as const;
  const { stdout } = await run(program, words, options).catch((error: unknown) => {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(`${program} ${words[0] ?? ''}: ${said === '' ? messageOf(error) : said}`);
  });
  return stdout;
}

export function hashOf(path: string, algorithm: string): string {
  return createHash(algorithm).update(readFileSync(path)).digest('base64');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
