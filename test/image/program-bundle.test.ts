import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ProgramBundle, programBundle } from '../../image/program-bundle.ts';

const KUBERNETES = 'node_modules/@kubernetes/client-node';

describe('the bundle of the program', () => {
  let bundle: ProgramBundle;
  beforeAll(async () => {
    bundle = await programBundle(resolve(fileURLToPath(new URL('../..', import.meta.url))));
  });

  it.each([
    ['a plane', ['main.js', 'run-dataplane.js', 'unit.js', 'unit-configured-traffic.js'], false],
    ['a plane with one unit', ['main.js', 'run-dataplane.js', 'run-unit.js', 'configured-traffic.js'], false],
    ['an instance', ['main.js', 'run-instance.js', 'unit.js', 'unit-configured-traffic.js'], false],
    ['a controller', ['main.js', 'run-controller.js'], true],
  ])('loads for %s the Kubernetes client only if needed', (_, names, needs) => {
    expect(packagesWith(names).has(KUBERNETES)).toBe(needs);
  });

  it('loads for help and version only the package that checks options', () => {
    expect([...packagesWith(['main.js'])].filter((place) => place !== 'node_modules/zod')).toEqual([]);
  });

  it('rewrites paths of modules that are loaded by path', () => {
    const text = bundle.files.map(({ code }) => code).join('\n');
    expect(text).toMatch(/new URL\([`"']\.\/unit\.js[`"'],\s*\$url\)/);
    expect(text).not.toMatch(/new URL\([`"'][^`"']+\.ts[`"']/);
  });

  it('has QuickJS and the console beside the code, which only scripts in JavaScript and people load', () => {
    expect(bundle.data.map(({ name }) => name)).toEqual(['emscripten-module.wasm', 'console.json']);
    const text = bundle.files.map(({ code }) => code).join('\n');
    expect(text).toMatch(/new URL\([`"']\.\/emscripten-module\.wasm[`"'],\s*\$url\)/);
    expect([...packagesWith(['main.js', 'run-instance.js', 'unit.js'])].join()).not.toContain('quickjs');
  });

  it('has characters of one byte only', () => {
    expect(bundle.files.filter(({ code }) => /[^\x00-\x7f]/.test(code)).map(({ name }) => name)).toEqual([]);
  });

  it('loads modules of Node.js without their dependencies', () => {
    const text = bundle.files.map(({ code }) => code).join('\n');
    expect(text.match(/import[^;()]*?from\s*["'`](?:node:|fs|net|http)[^;]*/g) ?? []).toEqual([]);
    expect(text.includes('process.getBuiltinModule(`node:worker_threads`)')).toBe(true);
  });

  it('has separate files for a unit', () => {
    const loaded = bundle.files.filter(({ name }) => name.startsWith('unit')).flatMap(({ imports }) => imports);
    expect(loaded.filter((name) => !name.startsWith('unit') && name !== 'loader.js' && !isBuiltin(name))).toEqual([]);
  });

  it('has scripts that need no import and no export', () => {
    const starters = ['audit-writer-thread.js', 'loader.js', 'main.js', 'unit.js'];
    expect(bundle.files.filter(({ code }) => !/^\((?:async )?function\(/.test(code)).map(({ name }) => name)).toEqual(
      starters,
    );
    for (const { name, code } of bundle.files) expect(() => new Script(code), name).not.toThrow();
  });

  it('keeps the names that traces of errors show', () => {
    const text = bundle.files.map(({ code }) => code).join('\n');
    const shown = [
      'function runDataplane(',
      'SupervisedUnits=class',
      'function runUnit(',
      'function checkDefaultObjects(',
    ];
    expect(shown.filter((name) => !text.includes(name))).toEqual([]);
  });

  function packagesWith(names: readonly string[]): ReadonlySet<string> {
    const files = new Map(bundle.files.map((file) => [file.name, file]));
    const loaded = new Set<string>();
    const load = (name: string): void => {
      const file = files.get(name);
      if (file === undefined || loaded.has(name)) return;
      loaded.add(name);
      for (const one of file.imports) load(one);
    };
    for (const name of names) {
      expect(files.has(name), `${name} is in the bundle`).toBe(true);
      load(name);
    }
    return new Set([...loaded].flatMap((name) => files.get(name)!.packages));
  }
});

describe('a program is not bundled', () => {
  it.each([
    ['a file that the image does not have', "new URL('../docs/page.md', import.meta.url);", 'finds ../docs/page.md'],
    ['a place that cannot be followed', 'console.log(import.meta.url);', 'in a way that the bundle cannot follow'],
    ['a module that is not there', "import './gone.ts';", 'gone.ts'],
    [
      'an exported variable that changes',
      "export let count = 0; export const next = () => ++count; const { next: one } = await import('./main.ts'); one();",
      'exports variables that change: count',
    ],
    ['a package that is not there', "import 'no-such-package';", 'no-such-package'],
  ])('when it needs %s', async (_, text, problem) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatewarden-bundle-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'cli'));
    writeFileSync(join(folder, 'cli/main.ts'), text);
    await expect(programBundle(folder)).rejects.toThrow(problem);
  });
});
