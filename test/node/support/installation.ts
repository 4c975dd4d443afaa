import { definitionNames } from '../../../crds/definitions.ts';
import { chart, crdChart, givenValues } from '../../support/cluster/chart.ts';
import type { TestNode } from './test-node.ts';

/** The namespace that the chart is installed in, and the name of the release. */
export const RELEASE = 'gatewarden';

/** Installs both charts and waits until everything is ready. */
export async function install(node: TestNode, values: object = {}): Promise<void> {
  await node.helm(['install', 'gatewarden-crds', crdChart]);
  const { words, input } = givenValues([values]);
  const where = ['install', RELEASE, chart, '--namespace', RELEASE, '--create-namespace'];
  await node.helm([...where, ...words, '--wait', '--timeout', '120s'], input);
}

/** Changes the values of what is installed and waits until that is so everywhere. */
export async function upgrade(node: TestNode, values: object): Promise<void> {
  const { words, input } = givenValues([values]);
  await node.helm(['upgrade', RELEASE, chart, '--namespace', RELEASE, ...words, '--wait', '--timeout', '180s'], input);
}

/** Takes everything away again, with what was made in other namespaces. */
export async function uninstall(node: TestNode, ...namespaces: readonly string[]): Promise<void> {
  const all = [...namespaces, RELEASE];
  await node.helm(['uninstall', RELEASE, '--namespace', RELEASE, '--wait', '--timeout', '120s', '--ignore-not-found']);
  await node.helm(['uninstall', 'gatewarden-crds', '--ignore-not-found']);
  await node.kubectl(['delete', 'customresourcedefinition', ...definitionNames, '--ignore-not-found']);
  await node.kubectl(['delete', 'namespace', ...all, '--ignore-not-found', '--timeout=120s']);
}
