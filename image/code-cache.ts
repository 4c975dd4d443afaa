import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type DataFile, LOADER, type ProgramBundle, scriptFile } from './program-bundle.ts';

/** Files that `run` does not load: the cache has the functions that loading them calls. */
const LOADED_ONLY = ['./run-dataplane.js', './run-controller.js', './audit-writer-thread-program.js'];

/** Threads that write what they compiled. */
const THREADS = ['main'];

/**
 * Starts the program once as it starts in the image, and returns what V8 compiled by then, in a file beside each file.
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
    const instance = writeInstance(join(folder, 'instance'));
    return await recorded(program, code, instance);
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
async function recorded(program: string, code: string, instance: string): Promise<readonly DataFile[]> {
  const words = ['run', instance, '--host', '127.0.0.1', '--port', '0', '--admin', '127.0.0.1:0', '--units', '1'];
  const child = spawn(program, [join(code, 'main.js'), ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { HOME: instance, RECORDED_FILES: LOADED_ONLY.join(' ') },
  });
  const awaited = new Set(THREADS.map((thread) => `recorded ./${thread}-program.js`));
  const said: string[] = [];
  try {
    for await (const line of createInterface(child.stderr)) {
      said.push(line);
      awaited.delete(line);
      if (awaited.size === 0) return cacheFiles(code);
      if (line.includes('"msg":"listening"')) child.kill('SIGUSR2');
    }
  } finally {
    child.kill('SIGKILL');
  }
  throw new Error(`the program ended before its compiled code was written: ${said.slice(-5).join('\n')}`);
}

function cacheFiles(folder: string): readonly DataFile[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.cache'));
  return names.sort().map((name) => ({ name, content: readFileSync(join(folder, name)) }));
}
