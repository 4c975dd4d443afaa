import { spawnSync } from 'node:child_process';
import { missingPrerequisites } from './support/prerequisites.ts';

const USAGE = `usage: npm run test:node -- [FILE…]
Runs the tests on a real Kubernetes node, as root. The first run on a machine builds its parts, for about 15 minutes.
`;
if (process.argv.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const missing = await missingPrerequisites();
if (missing.length > 0) {
  process.stderr.write(`The tests on a real node cannot run here.\n${missing.map((line) => `- ${line}\n`).join('')}`);
  process.exit(1);
}
process.stderr.write('a real node: the first run on a machine builds its parts, which takes about 15 minutes\n');
const words = ['test/run.ts', '--project', 'node', ...process.argv.slice(2)];
process.exit(spawnSync(process.execPath, words, { stdio: 'inherit' }).status ?? 1);
