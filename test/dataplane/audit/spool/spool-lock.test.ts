import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { SpoolLock, SpoolTaken } from '../../../../dataplane/audit/spool/spool-lock.ts';

const PROCESS = fileURLToPath(new URL('../../../support/audit/locking-process.ts', import.meta.url));
const DEAD = JSON.stringify({ place: 'elsewhere', pid: 1, started: '1', token: 'gone' });
const LONG_AGO = new Date(1_000_000_000_000);

let folder = '';
const locks: SpoolLock[] = [];
const processes: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const lock of locks.splice(0)) lock.release();
  for (const one of processes.splice(0)) one.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  folder = mkdtempSync(join(tmpdir(), 'gatewarden-lock-'));
  return folder;
}

function take(directory: string): SpoolLock {
  const lock = new SpoolLock(directory);
  locks.push(lock);
  return lock;
}

/** Leaves the lock of a process that is gone. */
function abandon(directory: string, number: number): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `lock.${number}`), DEAD);
  utimesSync(join(directory, `lock.${number}`), LONG_AGO, LONG_AGO);
}

describe('the lock of a spool', () => {
  it('has one owner at a time, and another one after its release', () => {
    const directory = newFolder();
    const first = take(directory);
    expect(() => take(directory)).toThrow(SpoolTaken);
    first.release();
    expect(() => take(directory)).not.toThrow();
    expect(readdirSync(directory)).toEqual(['lock.2']);
  });

  it('is taken over from a process that is gone', () => {
    const directory = newFolder();
    abandon(directory, 4);
    take(directory);
    expect(readdirSync(directory)).toEqual(['lock.5']);
  });

  it('stays with an owner in another place that touched it lately', () => {
    const directory = newFolder();
    writeFileSync(join(directory, 'lock.1'), DEAD);
    expect(() => take(directory)).toThrow(/in use by process 1 on elsewhere/);
    expect(readFileSync(join(directory, 'lock.1'), 'utf8')).toBe(DEAD);
  });

  it('stays with an owner that has not written its name yet', () => {
    const directory = newFolder();
    writeFileSync(join(directory, 'lock.1'), '');
    expect(() => take(directory)).toThrow(SpoolTaken);
  });

  it('is taken over by exactly one of several processes that try at the same time', async () => {
    const base = newFolder();
    const directories = Array.from({ length: 40 }, (_, n) => join(base, `${n}`));
    for (const directory of directories) abandon(directory, 1);
    const answers: string[] = [];
    const done = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const one = spawn(process.execPath, [PROCESS, 'take'], { stdio: 'pipe' });
        processes.push(one);
        const lines = createInterface({ input: one.stdout })[Symbol.asyncIterator]();
        expect(await lines.next()).toMatchObject({ value: 'ready' });
        return { one, lines };
      }),
    );
    for (const { one } of done) one.stdin.write(`${directories.join('\n')}\n`);
    await Promise.all(
      done.map(async ({ lines }) => {
        for (let n = 0; n < directories.length; n++) answers.push((await lines.next()).value as string);
      }),
    );

    for (const directory of directories) {
      expect(answers.filter((answer) => answer === `taken ${directory}`)).toHaveLength(1);
    }
  });
});
