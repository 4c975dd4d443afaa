import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFile, FileChanged, removeFile, replaceFile } from '../../../controller/manage/route-file.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

function folder(): string {
  const made = new InstanceFolder();
  onTestFinished(() => made[Symbol.dispose]());
  return made.path;
}

it('creates a file with its directory, once', () => {
  const path = join(folder(), 'routes', 'a.json');
  createFile(path, 'one');
  expect(() => createFile(path, 'two')).toThrow(FileChanged);
  expect(readFileSync(path, 'utf8')).toBe('one');
  expect(readdirSync(join(path, '..'))).toEqual(['a.json']);
});

it('replaces and removes a file only while it has the expected content', () => {
  const path = join(folder(), 'a.json');
  writeFileSync(path, 'edited');
  expect(() => replaceFile(path, Buffer.from('read'), 'new')).toThrow(FileChanged);
  expect(() => removeFile(path, Buffer.from('read'))).toThrow(FileChanged);
  expect(readFileSync(path, 'utf8')).toBe('edited');
  replaceFile(path, Buffer.from('edited'), 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  removeFile(path, Buffer.from('new'));
  expect(() => replaceFile(path, Buffer.from('new'), 'newer')).toThrow(FileChanged);
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

it.each([0o600, 0o664])('replaces a file with one of the same mode (%o)', (mode) => {
  const path = join(folder(), 'a.json');
  writeFileSync(path, 'old');
  chmodSync(path, mode);
  replaceFile(path, Buffer.from('old'), 'new');
  expect(statSync(path).mode & 0o777).toBe(mode);
});

it('leaves no temporary file behind when it fails', () => {
  const path = join(folder(), 'a.json');
  mkdirSync(path);
  expect(() => replaceFile(path, Buffer.from(''), 'new')).toThrow();
  rmSync(path, { recursive: true });
  expect(readdirSync(join(path, '..'))).toEqual([]);
});
