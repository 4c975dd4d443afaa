import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type DataFile, LOADER, type ProgramBundle, scriptFile } from './program-bundle.ts';

/** Files that `run` does not load: the cache has the functions that loading them calls. */
const LOADED_ONLY = ['./run-dataplane.js', './run-controller.js', './audit-writer-thread-program.js'];

/** Starts that are recorded, by their number of units, with the threads that write what they compiled. The last one counts. */
const STARTS = [
  [2, ['main', 'unit']],
  [1, ['main']],
] as const;

/**
 * Starts the program as it starts in the image, and returns what V8 compiled by then, in a file beside each file.
 * V8 takes it if its own version and its flags are the same, on any processor of the architecture.
 * @param node the Node.js of the image, which has to run here
 */
export async function codeCache(bundle: ProgramBundle, node: Uint8Array): Promise<readonly DataFile[]> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewarden-code-cache-'));
  try {
    const program = join(folder, 'node');
    writeFileSync(program, node, { mode: 0o755 });
    const code = join(folder, 'code');
    const recorder = await scriptFile(LOADER, join(import.meta.dirname, 'loader/recorder.ts'));
    mkdirSync(code);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'gatewarden', version: '0', type: 'commonjs' }));
    for (const { name, code: text } of [...bundle.files, recorder]) writeFileSync(join(code, name), text);
    for (const { name, content } of bundle.data) writeFileSync(join(code, name), content);
    for (const [units, threads] of STARTS) {
      const instance = writeInstance(join(folder, `instance-${units}`));
      await record([program, join(code, 'main.js')], instance, units, threads);
    }
    return cacheFiles(code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An instance with the types of objects that most configurations have. */
function writeInstance(folder: string): string {
  const filter = {
    type: 'HeaderFilter',
    config: { messageType: 'REQUEST', add: { 'X-Path': ['${request.uri.path}'] } },
  };
  const routes = {
    proxied: {
      condition: `\${find(request.uri.path, '^/proxied/')}`,
      baseURI: 'http://127.0.0.1:9',
      handler: { type: 'Chain', config: { filters: [filter], handler: 'ReverseProxyHandler' } },
    },
    fixed: {
      condition: `\${request.uri.path == '/fixed'}`,
      handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'x' } },
    },
  };
  mkdirSync(join(folder, 'config/routes'), { recursive: true });
  writeFileSync(join(folder, 'config/config.json'), JSON.stringify({ handler: { type: 'Router' } }));
  for (const [name, route] of Object.entries(routes)) {
    writeFileSync(join(folder, `config/routes/${name}.json`), JSON.stringify(route));
  }
  return folder;
}

/** Starts the program, waits until it serves and has written what was compiled, and ends it. */
async function record(
  [program, main]: readonly [program: string, main: string],
  instance: string,
  units: number,
  threads: readonly string[],
): Promise<void> {
  const words = ['run', instance, '--host', '127.0.0.1', '--port', '0', '--admin', '127.0.0.1:0'];
  const child = spawn(program, [main, ...words, '--units', `${units}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { HOME: instance, RECORDED_FILES: LOADED_ONLY.join(' ') },
  });
  const awaited = new Set(threads.map((thread) => `recorded ./${thread}-program.js`));
  const said: string[] = [];
  try {
    for await (const line of createInterface(child.stderr)) {
      said.push(line);
      awaited.delete(line);
      if (awaited.size === 0) return;
      if (line.includes('"msg":"listening"')) child.kill('SIGUSR2');
    }
  } finally {
    const ended = once(child, 'exit');
    if (child.kill('SIGKILL')) await ended;
  }
  throw new Error(`the program ended before its compiled code was written: ${said.slice(-5).join('\n')}`);
}

function cacheFiles(folder: string): readonly DataFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.cache'));
  return names.sort().map((name) => ({ name, content: readFileSync(join(folder, name)) }));
}
