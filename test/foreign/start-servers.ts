import type { TestProject } from 'vitest/node';
import { Keycloak } from './support/keycloak.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a real Keycloak. */
    readonly keycloak: string;
  }
}

/** Starts the servers that all tests of the run share. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const keycloak = await Keycloak.start();
  project.provide('keycloak', keycloak.url);
  return () => keycloak.stop();
}
