import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claimPidFile } from '../../../cli/actions/pid-file.ts';

/** More than a kernel hands out. */
const NOBODY = 2 ** 31 - 1;

let folder: string;
let path: string;
let warnings: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatewarden-pid-'));
  path = join(folder, 'tmp', 'gatewarden.pid');
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const claim = (mode: 'fail' | 'override', at = path) =>
  claimPidFile({ path: at, mode, warn: (text) => warnings.push(text) });

/** Leaves a file behind, as if another process had written it. */
function leave(text: string): string {
  path = join(folder, 'left.pid');
  writeFileSync(path, text);
  return path;
}

it('holds the id of the process, and leaves nothing behind', () => {
  const release = claim('fail');
  expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`);
  release();
  expect(existsSync(join(folder, 'tmp'))).toBe(false);
  expect(warnings).toEqual([]);
});

it('keeps a directory that other programs use', () => {
  const release = claim('fail');
  writeFileSync(join(folder, 'tmp', 'other'), '');
  release();
  expect([existsSync(path), existsSync(join(folder, 'tmp', 'other'))]).toEqual([false, true]);
});

it('is not changed while its process is alive', () => {
  leave(`${process.ppid}\n`);
  expect(() => claim('fail')).toThrow(`process ${process.ppid} already serves this instance, according to ${path}`);
  expect(readFileSync(path, 'utf8')).toBe(`${process.ppid}\n`);
});

it('is overwritten if configured, and then removed only by its owner', () => {
  leave(`${process.ppid}\n`);
  const release = claim('override');
  expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`);
  expect(warnings).toEqual([expect.stringContaining(`although process ${process.ppid} is running`)]);
  writeFileSync(path, `${process.ppid}\n`);
  release();
  expect(existsSync(path)).toBe(true);
});

it.each([`${NOBODY}\n`, `${process.pid}\n`, '', 'nonsense', '0', '-1'])(
  'is replaced when it is stale with %j',
  (text) => {
    leave(text);
    claim('fail');
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`);
    expect(warnings).toEqual([expect.stringContaining('was left behind by a process that no longer runs')]);
  },
);

it('is skipped where nothing can be written', () => {
  const blocked = join(leave('x'), 'tmp', 'gatewarden.pid');
  claim('fail', blocked)();
  expect(warnings).toEqual([expect.stringMatching(/^the process id cannot be written to .*: ENOTDIR/)]);
});

it('cannot be claimed where it cannot be read', () => {
  leave(`${process.ppid}\n`);
  if (process.getuid?.() === 0) return; // whoever may read everything is never refused
  chmodSync(path, 0);
  claim('fail');
  expect(warnings).toEqual([expect.stringMatching(/EACCES/)]);
});
