import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bench, outFolder } from './paths.ts';
import type { Peer } from './peer.ts';

/** Debian packages by the program they bring. */
const packages: Record<string, string[]> = {
  gcc: ['gcc', 'libc6-dev'],
  taskset: ['util-linux'],
  nginx: ['nginx-light'],
  haproxy: ['haproxy'],
  h2load: ['nghttp2-client'],
  openssl: ['openssl', 'libssl-dev'],
};

function isInstalled(program: string): boolean {
  return spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0;
}

function installSystemPackages(programs: readonly string[]): void {
  const missing = programs.filter((program) => !isInstalled(program)).flatMap((program) => packages[program] ?? []);
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0) {
    throw new Error(`missing: ${missing.join(', ')}; run as root: apt-get update && ${command}`);
  }
  console.log(`installing ${missing.join(', ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('sh', ['-c', `apt-get update -qq && ${command}`], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

function installNpmPeers(): void {
  const folder = join(bench, 'peers');
  const installed = join(folder, 'node_modules', '.package-lock.json');
  const isCurrent =
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(folder, 'package-lock.json')).mtimeMs;
  if (isCurrent) return;
  console.log('installing the peers from npm …');
  const args = ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function compile(program: string, sources: readonly string[], libraries: readonly string[] = []): void {
  const files = sources.map((source) => join(bench, 'load', source));
  const flags = ['-O2', '-Wall', '-Wextra', '-o', join(outFolder(), program)];
  execFileSync('gcc', [...flags, ...files, ...libraries], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Brings in everything these peers need and builds the C programs into bench/out. */
export function prepareTools(peers: readonly Peer[]): void {
  process.env['PATH'] = `${process.env['PATH']}:/usr/sbin:/sbin`; // where Debian puts servers, unknown to users' shells
  const needed = new Set(peers.flatMap(({ needs }) => needs));
  installSystemPackages(['gcc', 'taskset', ...needed].filter((program) => program in packages));
  if (needed.has('npm')) installNpmPeers();
  compile('load', ['load.c', 'client.c', 'backend.c', 'channel.c', 'head.c', 'template.c', 'histogram.c']);
  compile('relay', ['relay.c']);
  if (needed.has('openssl')) compile('handshakes', ['handshakes.c'], ['-lssl', '-lcrypto']);
}
