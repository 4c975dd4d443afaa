import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { gatewarden, runProgram } from '../support/programs/run-program.ts';

const folder = mkdtempSync(`${tmpdir()}/gatewarden-cli-`);
afterAll(() => rmSync(folder, { recursive: true }));

const version = { code: 0, stdout: expect.stringMatching(/^gatewarden \d+\.\d+\.\d+ \(Node\.js 26\./), stderr: '' };

describe('the program', () => {
  it('prints its version from any working directory', async () => {
    expect(await runProgram(gatewarden, ['--version'], { cwd: '/' })).toEqual(version);
  });

  it('runs through a chain of absolute and relative symlinks', async () => {
    mkdirSync(`${folder}/bin`);
    symlinkSync(gatewarden, `${folder}/absolute`);
    symlinkSync('../absolute', `${folder}/bin/relative`);
    expect(await runProgram('./bin/relative', ['--version'], { cwd: folder })).toEqual(version);
  });

  it.each([
    [['--help'], 'Usage: gatewarden COMMAND [OPTIONS]'],
    [['-h'], 'Usage: gatewarden COMMAND [OPTIONS]'],
    [['help'], 'Usage: gatewarden COMMAND [OPTIONS]'],
    [['help', 'proxy'], 'Usage: gatewarden proxy --listen ADDR'],
    [['proxy', '--help'], 'Usage: gatewarden proxy --listen ADDR'],
    [['proxy', '--nonsense', '-h'], 'Usage: gatewarden proxy --listen ADDR'],
  ])('answers %j with help', async (words, beginning) => {
    const { code, stdout, stderr } = await runProgram(gatewarden, words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(beginning);
  });

  it.each([
    [['prxy'], ["gatewarden: unknown command 'prxy': did you mean 'proxy'?", "Try 'gatewarden --help'."]],
    [
      ['help', 'prxy'],
      ["gatewarden: unknown command 'prxy': did you mean 'proxy'?", "Try 'gatewarden --help'."],
    ],
    [['nonsense'], ["gatewarden: unknown command 'nonsense'", "Try 'gatewarden --help'."]],
    [
      ['--verison', '--hlep'],
      [
        "gatewarden: unknown option '--verison': did you mean '--version'?",
        "gatewarden: unknown option '--hlep': did you mean '--help'?",
        "Try 'gatewarden --help'.",
      ],
    ],
    [
      ['proxy', '--listne', ':0'],
      [
        "gatewarden proxy: unknown option '--listne': did you mean '--listen'?",
        "gatewarden proxy: option '--to URL' is required",
        "Try 'gatewarden proxy --help'.",
      ],
    ],
  ])('refuses %j with exit code 2', async (words, lines) => {
    expect(await runProgram(gatewarden, words)).toEqual({ code: 2, stdout: '', stderr: `${lines.join('\n')}\n` });
  });

  it('keeps what Node.js compiled, in its own node_modules', async () => {
    const kept = `${folder}/kept/node_modules`;
    mkdirSync(`${folder}/kept/cli`, { recursive: true });
    mkdirSync(`${kept}/node-linux-${process.arch}/bin`, { recursive: true });
    symlinkSync(process.execPath, `${kept}/node-linux-${process.arch}/bin/node`);
    copyFileSync(gatewarden, `${folder}/kept/cli/gatewarden`);
    writeFileSync(`${folder}/kept/cli/main.ts`, `import './imported.ts';\n`);
    writeFileSync(`${folder}/kept/cli/imported.ts`, `console.log('compiled' as string);\n`);
    const { NODE_COMPILE_CACHE: _own, ...env } = process.env;
    const { stdout } = await runProgram(`${folder}/kept/cli/gatewarden`, [], { env });
    expect(stdout).toBe('compiled\n');
    expect(readdirSync(`${kept}/.cache/gatewarden`)).not.toEqual([]);
  });

  it('without a command prints help as an error', async () => {
    const { code, stdout, stderr } = await runProgram(gatewarden, []);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Commands:');
  });
});

describe('the program without the pinned Node.js', () => {
  const bin = `${folder}/path`;
  const copy = `${folder}/copy/cli/gatewarden`;
  mkdirSync(bin);
  mkdirSync(`${folder}/copy/cli`, { recursive: true });
  copyFileSync(gatewarden, copy);
  for (const tool of ['dirname', 'readlink', 'uname']) symlinkSync(`/usr/bin/${tool}`, `${bin}/${tool}`);

  /** Runs a copy that has no node_modules, with only this `node` to be found. */
  function runWith(nodeScript: string | undefined) {
    rmSync(`${bin}/node`, { force: true });
    if (nodeScript !== undefined) {
      writeFileSync(`${bin}/node`, `#!/bin/sh\n${nodeScript}\n`);
      chmodSync(`${bin}/node`, 0o755);
    }
    return runProgram(copy, ['--version'], { env: { ...process.env, PATH: bin } });
  }

  it('reports a missing Node.js', async () => {
    const { code, stderr } = await runWith(undefined);
    expect(code).toBe(1);
    expect(stderr).toBe(`gatewarden: no Node.js found; run 'npm ci' in ${folder}/copy to install the pinned one\n`);
  });

  it('refuses one that is too old', async () => {
    const { code, stderr } = await runWith('echo v24.1.0');
    expect(code).toBe(1);
    expect(stderr).toContain(`needs Node.js 26 or newer, found v24.1.0 at ${bin}/node`);
  });

  it('accepts a Node.js that is new enough', async () => {
    const { code, stdout } = await runWith('if [ "$1" = --version ]; then echo v26.0.0; else echo "$@"; fi');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${folder}/copy/cli/main.ts --version\n` });
  });
});
