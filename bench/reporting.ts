import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { scriptOptions } from '../platform/script-options.ts';
import { repository } from './paths.ts';

const USAGE = `usage: npm run bench:reporting
How long the main thread of 'gatewarden run' is busy at a time while it compiles and reports bad documents, in
milliseconds: the health endpoints do not answer meanwhile. The goal is at most 100.
`;

scriptOptions(USAGE, {});

const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
const unknownKeys = (count: number): object => ({
  handler,
  ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n])),
});
const documents: Record<string, object> = {
  '4,000 unknown keys': unknownKeys(4000),
  '20,000 unknown keys': unknownKeys(20_000),
  'a text of 8.4 million characters and a warning': {
    handler: { type: 'StaticResponseHandler', config: { status: 200, entity: 'x'.repeat(8_400_000) } },
    audit: 'a relic',
  },
};

const folder = mkdtempSync(join(tmpdir(), 'gatewarden-reporting-'));
const routes = join(folder, 'config', 'routes');
mkdirSync(routes, { recursive: true });
writeFileSync(join(routes, 'good.json'), JSON.stringify({ handler }));
const preload = join(repository, 'bench/measure/loop-delay.ts');
const program = [
  '--import',
  preload,
  join(repository, 'cli/main.ts'),
  'run',
  folder,
  '--port',
  '0',
  '--host',
  '127.0.0.1',
  '--admin',
  '127.0.0.1:0',
  '--watch',
  '--log-format',
  'json',
];
const gateway = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'pipe'] });
const waiting: { readonly isIt: (line: string) => boolean; readonly come: (line: string) => void }[] = [];
for (const input of [gateway.stdout, gateway.stderr]) {
  createInterface({ input }).on('line', (line) => {
    const at = waiting.findIndex(({ isIt }) => isIt(line));
    if (at >= 0) waiting.splice(at, 1)[0]!.come(line);
  });
}
const says = (isIt: (line: string) => boolean): Promise<string> => new Promise((come) => waiting.push({ isIt, come }));

/** The longest that the main thread was busy since it was asked last. */
async function busiest(): Promise<number> {
  const told = says((line) => line.startsWith('loop-delay '));
  gateway.kill('SIGUSR2');
  return Number((await told).split(' ')[1]);
}

try {
  await says((line) => line.startsWith('traffic '));
  await busiest();
  for (const [name, document] of Object.entries(documents)) {
    const figures: number[] = [];
    for (let round = 0; round < 5; round++) {
      const reported = says((line) => line.includes(`bad-${round}`));
      writeFileSync(join(routes, 'bad.json'), JSON.stringify({ ...document, name: `bad-${round}` }));
      await reported;
      figures.push(await busiest());
    }
    figures.sort((a, b) => a - b);
    process.stdout.write(`${name}: median ${figures[2]} ms, ${figures[0]} to ${figures[4]}\n`);
  }
} finally {
  gateway.kill();
  await once(gateway, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
