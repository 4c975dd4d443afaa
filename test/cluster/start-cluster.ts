import type { TestProject } from 'vitest/node';
import { ApiServer } from '../support/cluster/api-server.ts';

/** Starts the API server that the tests of this run share. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await ApiServer.start();
  project.provide('cluster', server.access);
  return () => server.stop();
}
