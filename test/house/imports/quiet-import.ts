import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const probe = fileURLToPath(new URL('./import-probe.ts', import.meta.url));

/** What importing the modules did beside defining things; they are imported in a fresh process that may only read. */
export function importEffects(root: string, modules: readonly string[]): string[] {
  const child = spawnSync(process.execPath, ['--permission', '--allow-fs-read=*', probe, root, ...modules], {
    encoding: 'utf8',
    timeout: 240_000,
    killSignal: 'SIGKILL',
  });
  const [report, ...earlier] = child.stdout.split('\n').reverse() as [string, ...string[]];
  const printed = [...earlier.reverse(), child.stderr].join('\n').trim();
  return [
    ...(report === '' ? ['the process ended before all modules were imported'] : (JSON.parse(report) as string[])),
    ...(printed === '' ? [] : [`importing printed: ${printed}`]),
    ...(child.signal === null ? [] : ['the process did not end by itself after the imports']),
  ];
}
