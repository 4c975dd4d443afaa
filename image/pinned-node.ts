import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Architecture, nodePackage } from './architecture.ts';
import { downloaded, output } from './downloads.ts';
import type { ImageEntry } from './image-entry.ts';
import { installedPackage, lockedPackage } from './locked-packages.ts';
import { stripSymbols } from './strip-symbols.ts';

/** The Node.js that the lockfile pins. */
export interface PinnedNode {
  readonly version: string;
  readonly integrity: string;
  readonly entries: readonly ImageEntry[];
}

/** The pinned Node.js for an architecture: as npm installed it, or else downloaded under the lockfile's hash. */
export async function pinnedNode(repository: string, architecture: Architecture): Promise<PinnedNode> {
  const name = nodePackage(architecture);
  const { version, integrity } = lockedPackage(repository, `node_modules/${name}`);
  const installed = join(repository, 'node_modules', name);
  if (existsSync(join(installed, 'bin/node'))) {
    installedPackage(repository, `node_modules/${name}`);
    return { version, integrity, entries: entriesOf(installed) };
  }
  const [algorithm, hash] = integrity.split(/-(.*)/s) as [string, string];
  if (algorithm !== 'sha512') throw new Error(`package-lock.json: ${name} has no sha512`);
  const archive = await downloaded({
    title: `${name} ${version}`,
    file: `${name}-${version}.tgz`,
    algorithm,
    hash,
    fetch: async (folder) => {
      // in that folder, npm does not mind that the package is for another machine
      await output('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', folder], folder);
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'gatewarden-node-'));
  try {
    await output('tar', ['-xzf', archive, '-C', folder, 'package/bin/node', 'package/LICENSE']);
    return { version, integrity, entries: entriesOf(join(folder, 'package')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function entriesOf(folder: string): readonly ImageEntry[] {
  const file = (path: string, from: string, mode: number): ImageEntry => ({
    kind: 'file',
    path,
    mode,
    content: mode === 0o755 ? stripSymbols(readFileSync(join(folder, from))) : readFileSync(join(folder, from)),
  });
  return [
    file('usr/local/bin/node', 'bin/node', 0o755),
    file('usr/share/licenses/gatewarden/node/LICENSE', 'LICENSE', 0o644),
  ];
}
