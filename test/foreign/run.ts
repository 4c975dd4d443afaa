import { spawnSync } from 'node:child_process';
import { missingPrerequisites } from './support/prerequisites.ts';

const USAGE = `usage: npm run test:foreign -- [--if-possible] [FILE…]
Runs the tests with large foreign servers: Keycloak, OpenAM and the JMS brokers ActiveMQ 5.17, ActiveMQ 6.1 and Artemis.
They need Java 17, Maven and 3 GB of memory. The first run on a machine downloads the servers (540 MB). Starting them
takes about two minutes. With --if-possible, a machine that lacks a program runs nothing and succeeds.
`;
const words = process.argv.slice(2);
if (words.includes('--help')) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const isOptional = words.includes('--if-possible');
const missing = await missingPrerequisites();
if (missing.length > 0) {
  const verdict = isOptional
    ? 'LEFT OUT: the tests with foreign servers'
    : 'Tests with foreign servers cannot run here';
  process.stderr.write(`${verdict}.\n${missing.map((line) => `- ${line}\n`).join('')}`);
  process.exit(isOptional ? 0 : 1);
}
const files = words.filter((word) => word !== '--if-possible');
const command = ['test/run.ts', '--project', 'foreign', '--project', 'brokers', ...files];
process.exit(spawnSync(process.execPath, command, { stdio: 'inherit' }).status ?? 1);
