import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Outcome, runProgram } from '../support/programs/run-program.ts';
import { repositoryRoot } from './source-file.ts';

const STEADY = `it('holds', () => {});\n`;
const FAILING = `it('breaks', () => { throw new Error('as ever'); });\n`;
/** Passes from its second run on. */
const UNSTEADY = `import { existsSync, writeFileSync } from 'node:fs';
it('holds too', () => {});
it('hesitates', () => {
  const isSecond = existsSync(import.meta.filename + '.ran');
  writeFileSync(import.meta.filename + '.ran', '');
  if (!isSecond) throw new Error('only now');
});
`;
/** Cannot be loaded in its first run. */
const UNLOADED = `import { existsSync, writeFileSync } from 'node:fs';
const isSecond = existsSync(import.meta.filename + '.ran');
writeFileSync(import.meta.filename + '.ran', '');
if (!isSecond) throw new Error('only now');
it('holds', () => {});
`;
/** Another test fails in its second run than in its first. */
const SHIFTING = `import { existsSync, writeFileSync } from 'node:fs';
const isSecond = existsSync(import.meta.filename + '.ran');
writeFileSync(import.meta.filename + '.ran', '');
it('breaks first', () => { if (!isSecond) throw new Error('now'); });
it('breaks later', () => { if (isSecond) throw new Error('now'); });
`;
const UNCAUGHT = `it('leaves a promise', async () => {
  void Promise.reject(new Error('nobody waits'));
  await new Promise(setImmediate);
});
`;

/** Runs the tests of a folder of its own with `make test`'s program. */
async function runFolder(files: Readonly<Record<string, string>>): Promise<Outcome & { readonly last: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewarden-runner-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'vitest.config.mjs'), 'export default { test: { globals: true } };\n');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.test.mjs`), text);
  // a run inside a run must not take itself for a worker of the outer one
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const outcome = await runProgram(process.execPath, [join(repositoryRoot, 'test/run.ts')], { cwd: folder, env });
  const isVerdict = (line: string): boolean => /^(?:failed|unsteady): |\d+ passed, \d+ failed/.test(line);
  return { ...outcome, last: `${outcome.stderr}${outcome.stdout}`.split('\n').filter(isVerdict) };
}

describe('a run of the tests', () => {
  it('passes and names the test that failed once and passed alone', async () => {
    const { code, last, stderr } = await runFolder({ steady: STEADY, wavering: UNSTEADY, 'late-file': UNLOADED });
    expect(last.toSorted()).toEqual([
      '3 passed, 0 failed, 2 unsteady, 0 skipped',
      'unsteady: late-file.test.mjs (failed once, passed alone)',
      'unsteady: wavering.test.mjs > hesitates (failed once, passed alone)',
    ]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('failed files run once more, alone: ');
  });

  it('fails when a failure repeats, or another test of the file fails then', async () => {
    const { code, last } = await runFolder({ broken: FAILING, wavering: UNSTEADY, shifting: SHIFTING });
    expect(last.toSorted()).toEqual([
      '1 passed, 2 failed, 2 unsteady, 0 skipped',
      'failed: broken.test.mjs > breaks',
      'failed: shifting.test.mjs > breaks later',
      'unsteady: shifting.test.mjs > breaks first (failed once, passed alone)',
      'unsteady: wavering.test.mjs > hesitates (failed once, passed alone)',
    ]);
    expect(code).toBe(1);
  });

  it('repeats nothing when four files failed', async () => {
    const names = ['one', 'two', 'three', 'four'];
    const { code, last, stderr } = await runFolder(Object.fromEntries(names.map((name) => [name, UNSTEADY])));
    expect(last.toSorted()).toEqual([
      '4 passed, 4 failed, 0 skipped',
      ...names.map((name) => `failed: ${name}.test.mjs > hesitates`).sort(),
    ]);
    expect(code).toBe(1);
    expect(stderr).not.toContain('once more');
  });

  it('repeats nothing when an error belongs to no test', async () => {
    const { code, last } = await runFolder({ wavering: UNSTEADY, uncaught: UNCAUGHT });
    expect(last.toSorted()).toEqual(['2 passed, 2 failed, 0 skipped', 'failed: wavering.test.mjs > hesitates']);
    expect(code).toBe(1);
  });

  it('counts as before when nothing failed', async () => {
    const { code, last } = await runFolder({ steady: STEADY });
    expect(last).toEqual(['1 passed, 0 failed, 0 skipped']);
    expect(code).toBe(0);
  });
});
