import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { installPrograms, isDebianProgram } from '../test/support/programs/debian-program.ts';
import { bench, outFolder } from './paths.ts';
import type { Peer } from './peer.ts';

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
export async function prepareTools(peers: readonly Peer[]): Promise<void> {
  process.env['PATH'] = `${process.env['PATH']}:/usr/sbin:/sbin`; // where Debian puts servers, unknown to users' shells
  const needed = new Set(peers.flatMap(({ needs }) => needs));
  await installPrograms(['gcc', 'taskset', ...needed].filter(isDebianProgram));
  if (needed.has('npm')) installNpmPeers();
  compile('load', ['load.c', 'client.c', 'backend.c', 'channel.c', 'head.c', 'template.c', 'histogram.c']);
  compile('relay', ['relay.c']);
  if (needed.has('openssl')) compile('signatures', ['signatures.c'], ['-lcrypto']);
  if (needed.has('openssl')) compile('handshakes', ['handshakes.c'], ['-lssl', '-lcrypto']);
}
