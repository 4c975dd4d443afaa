import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARCHITECTURES } from './architecture.ts';
import { aptDownload, readBasePackages } from './base-packages.ts';
import { hashOf, output } from './downloads.ts';

/** Locks the newest version that apt offers of every base package, and says what changed. */
export async function updateBasePackages(): Promise<void> {
  const packages = readBasePackages();
  const updated: Record<string, unknown> = {};
  for (const [name, { takes, locked }] of Object.entries(packages)) {
    const newest: Record<string, { version: string; sha256: string }> = {};
    for (const architecture of ARCHITECTURES) {
      const folder = mkdtempSync(join(tmpdir(), 'gatewarden-update-'));
      try {
        const path = await aptDownload(name, architecture, folder);
        const version = (await output('dpkg-deb', ['--field', path, 'Version'])).trim();
        newest[architecture] = { version, sha256: Buffer.from(hashOf(path, 'sha256'), 'base64').toString('hex') };
        const before = locked[architecture].version;
        if (before !== version) process.stdout.write(`${name} (${architecture}): ${before} -> ${version}\n`);
      } finally {
        rmSync(folder, { recursive: true });
      }
    }
    updated[name] = { takes, locked: newest };
  }
  writeFileSync(new URL('./base-packages.json', import.meta.url), `${JSON.stringify(updated, null, 2)}\n`);
}
