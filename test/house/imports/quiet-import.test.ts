import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { isTypeScriptIn, programFolders, readRepository, repositoryRoot } from '../source-file.ts';
import { importEffects } from './quiet-import.ts';

const folder = mkdtempSync(`${tmpdir()}/gatewarden-house-`);
afterAll(() => rmSync(folder, { recursive: true }));

/** What importing a module with this text does. */
function effects(text: string): string[] {
  writeFileSync(`${folder}/example.ts`, text);
  return importEffects(folder, ['example.ts']);
}

describe('importing a module never opens, starts, registers or reads anything', () => {
  it('in contract/, platform/, controller/ and dataplane/', () => {
    const folders = programFolders.filter((folder) => folder !== 'cli' && folder !== 'console');
    const files = readRepository().filter((file) => isTypeScriptIn(file, folders));
    const modules = files.map((file) => file.path);
    expect(importEffects(repositoryRoot, modules)).toEqual([]);
  });

  it('is kept by definitions', () => {
    expect(
      effects(`
        import { readFileSync } from 'node:fs';
        import { createServer, isIP } from 'node:net';
        const table = new Uint8Array(256).fill(isIP('::1'));
        export function start() { return [readFileSync('x'), createServer(), table, process.env['HOME']]; }
      `),
    ).toEqual([]);
  });

  it.each([
    ['a timer', 'setInterval(() => {}, 10).unref();', 'example.ts:1: calls globalThis.setInterval'],
    ['the environment', "export const home = process.env['HOME'];", 'example.ts:1: reads process.env.HOME'],
    ['a file', "import { readFileSync } from 'node:fs'; readFileSync('/etc/hosts');", 'calls fs.readFileSync'],
    ['a signal handler', "process.on('SIGTERM', () => {});", 'example.ts:1: calls process.on'],
    ['output', "console.log('hello');", 'importing printed: hello'],
    ['a server', "import { createServer } from 'node:net'; createServer().listen(0);", 'calls net.createServer'],
    ['a process', "import { spawn } from 'node:child_process'; spawn('true');", 'calls childProcess.spawn'],
    [
      'a thread',
      "import { Worker } from 'node:worker_threads'; new Worker('1', { eval: true });",
      'cannot be imported',
    ],
    ['an open handle', 'new MessageChannel().port1.onmessage = () => {};', 'leaves MessagePort open'],
    ['an exit', 'process.exit(0);', 'the process ended before all modules were imported'],
    ['an error', 'throw new Error("no");', 'example.ts: cannot be imported: no'],
  ])('is breached by %s', (_, text, effect) => {
    expect(effects(text).join('\n')).toContain(effect);
  });
});
