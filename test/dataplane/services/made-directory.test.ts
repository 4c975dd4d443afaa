import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeDirectory } from '../../../dataplane/services/made-directory.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'gatewarden-test-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

it('creates missing directories for this user only, and returns the first one', () => {
  const path = folder();
  expect(makeDirectory(join(path, 'a', 'b', 'c'))).toBe(join(path, 'a'));
  for (const made of ['a', 'a/b', 'a/b/c']) expect(statSync(join(path, made)).mode & 0o777).toBe(0o700);
  expect(makeDirectory(join(path, 'a', 'b', 'd'))).toBe(join(path, 'a', 'b', 'd'));
});

it('does not change an existing directory, also behind a link', () => {
  const path = folder();
  mkdirSync(join(path, 'there'));
  symlinkSync(join(path, 'there'), join(path, 'link'));
  for (const there of ['/', '.', path, join(path, 'there'), `${path}/link/`]) {
    expect(makeDirectory(there)).toBeUndefined();
  }
});

it.each([
  ['a file is there', 'EEXIST', ''],
  ['a file is above it', 'ENOTDIR', 'a'],
])('cannot make it where %s', (_case, code, below) => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(join(file, below))).toThrow(code);
});

it('fails if it cannot be created', () => {
  // in a process of its own, because what does not give up cannot be stopped otherwise
  const module = JSON.stringify(new URL('../../../dataplane/services/made-directory.ts', import.meta.url).href);
  const script = `const { makeDirectory } = await import(${module});
    try { makeDirectory('/proc/nothing/at-all'); } catch (error) { console.log(error.message); }`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 120_000 });
  expect(stdout.toString()).toMatch(/^ENOENT: .*\/proc\/nothing'\n$/);
});
