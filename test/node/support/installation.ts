import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestNode } from './test-node.ts';

const charts = fileURLToPath(new URL('../../../helm', import.meta.url));

/** The namespace that the chart is installed in, and the name of the release. */
export const RELEASE = 'gatewarden';

/** Installs both charts and waits until everything is ready. */
export async function install(node: TestNode, values: object = {}): Promise<void> {
  await node.helm(['install', 'gatewarden-crds', `${charts}/gatewarden-crds`]);
  await withValues(values, (file) =>
    node.helm([
      ...['install', RELEASE, `${charts}/gatewarden`, '--namespace', RELEASE, '--create-namespace'],
      ...['--values', file, '--wait', '--timeout', '120s'],
    ]),
  );
}

/** Changes the values of what is installed and waits until that is so everywhere. */
export async function upgrade(node: TestNode, values: object): Promise<void> {
  await withValues(values, (file) =>
    node.helm([
      ...['upgrade', RELEASE, `${charts}/gatewarden`, '--namespace', RELEASE],
      ...['--values', file, '--wait', '--timeout', '180s'],
    ]),
  );
}

/** Takes everything away again, with what was made in other namespaces. */
export async function uninstall(node: TestNode, ...namespaces: readonly string[]): Promise<void> {
  const all = [...namespaces, RELEASE];
  await node.helm(['uninstall', RELEASE, '--namespace', RELEASE, '--wait', '--timeout', '120s', '--ignore-not-found']);
  await node.helm(['uninstall', 'gatewarden-crds', '--ignore-not-found']);
  const kinds = ['routes', 'secretstores', 'auditservices'].map((kind) => `${kind}.gatewarden.io`);
  await node.kubectl(['delete', 'customresourcedefinition', ...kinds, '--ignore-not-found']);
  await node.kubectl(['delete', 'namespace', ...all, '--ignore-not-found', '--timeout=120s']);
}

async function withValues<T>(values: object, use: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'gatewarden-values-'));
  try {
    const file = join(folder, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
