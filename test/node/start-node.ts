import type { TestProject } from 'vitest/node';
import { startedNode } from './support/started-node.ts';

/** Starts the node that all tests of the run share. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { node, image } = await startedNode();
  project.provide('node', { ...node.access, image });
  return () => node.stop();
}
