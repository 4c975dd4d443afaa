/** Load by nghttp2's h2load: TLS, HTTP/2, or both, with as many streams per connection as asked for. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { LoadResult } from '../measure/load-process.ts';
import { headFile } from '../request-head.ts';
import { type Driver, drive } from './driver.ts';
import { NginxBackend } from './nginx-backend.ts';

const { values } = parseArgs({
  options: {
    front: { type: 'string', default: 'h2' },
    scheme: { type: 'string', default: 'https' },
    connections: { type: 'string', default: '64' },
    streams: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '3' },
    warmup: { type: 'string', default: '1' },
    backend: { type: 'string', default: 'h1' },
  },
});

const backend = new NginxBackend();

const driver: Driver = {
  start: () => backend.start(values.backend === 'h2'),
  async warm(port) {
    await load(port, Number(values.warmup));
  },
  run: (port) => load(port, Number(values.seconds)),
  stop: () => backend.stop(),
};

/** The head of the main workload, as h2load takes it. */
function headerArguments(): { path: string; headers: string[] } {
  const [line = '', ...lines] = readFileSync(headFile('bearer'), 'utf8').trim().split('\n');
  const path = (line.split(' ')[1] ?? '/').replace(/#+/, '0000000000000042');
  const headers = lines
    .filter((header) => !/^host:/i.test(header))
    .flatMap((header) => ['-H', header.replace(/#+/, '0000000000000042')]);
  return { path, headers };
}

async function load(port: number, seconds: number): Promise<LoadResult> {
  const { path, headers } = headerArguments();
  const output = await run('h2load', [
    ...(values.front === 'h1' ? ['--h1'] : []),
    ...['-t', '1', '-c', values.connections, '-m', values.streams, '-D', `${Math.round(seconds * 1000)}ms`, ...headers],
    `${values.scheme}://127.0.0.1:${port}${path}`,
  ]);
  const number = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? Number.NaN);
  // it takes an answer without a reason phrase, as HTTP/2 backends give them, for a failed one
  const done = number(/started, (\d+) done/);
  const failed = number(/failed, (\d+) errored/) + number(/errored, (\d+) timeout/);
  const wrong = number(/status codes: \d+ 2xx, (\d+) 3xx/) + number(/3xx, (\d+) 4xx/) + number(/4xx, (\d+) 5xx/);
  if (Number.isNaN(done + failed + wrong)) throw new Error(`h2load said something else: ${output}`);
  const micros = (text: string): number =>
    Number.parseFloat(text) * (text.endsWith('us') ? 1 : text.endsWith('ms') ? 1e3 : 1e6);
  const times = /time for request:\s+(\S+)\s+(\S+)\s+(\S+)/.exec(output);
  const mean = micros(times?.[3] ?? '0us');
  const max = micros(times?.[2] ?? '0us');
  const faults = { failed, wrong };
  return { requests: done, excluded: 0, seconds, p50: mean, p99: max, p999: max, max, faults };
}

function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString();
    });
    child.once('error', reject);
    child.once('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(`${command} ended with ${code}`))));
  });
}

await drive(driver);
