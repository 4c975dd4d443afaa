import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repositoryRoot } from './source-file.ts';

const { scripts } = JSON.parse(readFileSync(`${repositoryRoot}/package.json`, 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const named = Object.values(scripts).flatMap((line) => /^node .*?(\S+\.ts)$/.exec(line)?.[1] ?? []);
const entryPoints = [...named, 'bench/chain.ts'];
/** These hand their options on to vitest. */
const passingOn = ['test/run.ts', 'test/node/run.ts', 'test/foreign/run.ts'];

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
  /** What is in the folder for temporary files afterwards. */
  readonly left: readonly string[];
}

async function run(script: string, word: string): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewarden-help-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [script, word], {
    cwd: repositoryRoot,
    // half of what these processes compute is the compilation of modules that most of them share
    env: { NODE_COMPILE_CACHE: join(repositoryRoot, 'node_modules/.cache/gatewarden'), ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, errors, left: readdirSync(folder) };
}

describe('scripts', () => {
  it('are those of package.json', () => {
    expect(named).toContain('bench/cluster/run.ts');
    expect(named.length).toBeGreaterThan(10);
  });

  it.each(entryPoints)('%s prints its usage and does nothing else when it is asked for help', async (script) => {
    const { code, out, errors, left } = await run(script, '--help');
    expect({ code, errors, left }).toEqual({ code: 0, errors: '', left: [] });
    expect(out).toMatch(/^usage: /i);
  });

  it.each(entryPoints.filter((script) => !passingOn.includes(script)))(
    '%s refuses an option that it does not know',
    async (script) => {
      const { code, out, errors } = await run(script, '--unheard-of');
      expect(code, out).not.toBe(0);
      expect(`${out}${errors}`).toContain('--unheard-of');
    },
  );
});
