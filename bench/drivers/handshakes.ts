/** A new TLS connection for every request: `handshakes.ts full|resumed`. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { LoadResult } from '../measure/load-process.ts';
import { out } from '../paths.ts';
import { drive } from './driver.ts';
import { NginxBackend } from './nginx-backend.ts';

const { values } = parseArgs({
  options: {
    kind: { type: 'string', default: 'full' },
    seconds: { type: 'string', default: '3' },
    warmup: { type: 'string', default: '1' },
  },
});

const backend = new NginxBackend();

async function shake(port: number, seconds: string): Promise<LoadResult> {
  const program = join(out, 'handshakes');
  const { stdout } = await promisify(execFile)(program, [String(port), seconds, values.kind]);
  const { made, resumed, failed } = JSON.parse(stdout) as { made: number; resumed: number; failed: number };
  // the first one has nothing to resume, and a server may let some go by
  const unresumed = values.kind === 'resumed' && resumed < made * 0.9 ? made - resumed : 0;
  const mean = (Number(seconds) * 1e6) / made;
  const faults = { failed, unresumed };
  return { requests: made, excluded: 0, seconds: Number(seconds), p50: mean, p99: mean, p999: mean, max: mean, faults };
}

await drive({
  start: () => backend.start(false),
  async warm(port) {
    await shake(port, values.warmup);
  },
  run: (port) => shake(port, values.seconds),
  stop: () => backend.stop(),
});
