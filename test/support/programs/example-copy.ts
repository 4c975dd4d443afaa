import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';
import { repositoryRoot } from '../../house/source-file.ts';

/** The ports that the pages use; others take their place, because tests run side by side. */
const PORTS = /\b(?:8080|8081|8082|8443|9090|9091|9443)\b/g;
const MOST_PORTS = 7;

/** Copies the README, the pages and the examples into a temporary folder where they may be changed, with what they need. */
export async function copyOfExamples(): Promise<string> {
  const root = mkdtempSync(`${tmpdir()}/gatewarden-examples-`);
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ['README.md', 'docs', 'examples'])
    cpSync(`${repositoryRoot}/${name}`, `${root}/${name}`, { recursive: true });
  for (const name of ['cli', 'crds', 'helm', 'node_modules', 'test'])
    symlinkSync(`${repositoryRoot}/${name}`, `${root}/${name}`);
  const ports = await freePorts(MOST_PORTS);
  const known = new Map<string, string>();
  const portOf = (port: string): string => {
    if (!known.has(port)) known.set(port, String(ports[known.size]));
    return known.get(port)!;
  };
  const entries = readdirSync(`${root}/examples`, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`);
  for (const file of [`${root}/README.md`, `${root}/docs/getting-started.md`, ...files]) {
    // Byte by byte, because some of them are keystores.
    writeFileSync(file, readFileSync(file, 'latin1').replace(PORTS, portOf), 'latin1');
  }
  // curl shows how far it is when its output is not a terminal, which no reader of the pages sees.
  writeFileSync(`${root}/.curlrc`, 'silent\nshow-error\n');
  return root;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
