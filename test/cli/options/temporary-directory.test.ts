import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTemporaryDirectory } from '../../../cli/options/temporary-directory.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatewarden-directory-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('is made for its owner alone', () => {
  const path = join(folder, 'a', 'b');
  makeTemporaryDirectory(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  makeTemporaryDirectory(path);
});

it('has to be a directory', () => {
  const path = join(folder, 'file');
  writeFileSync(path, '');
  expect(() => makeTemporaryDirectory(path)).toThrow(
    `temporaryDirectory of admin.json, ${path}, cannot be used: EEXIST`,
  );
  expect(() => makeTemporaryDirectory(join(path, 'a'))).toThrow(/ENOTDIR/);
});
