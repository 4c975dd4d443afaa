import type { TestProject } from 'vitest/node';
import { Keycloak } from './support/keycloak.ts';
import { Openam } from './support/openam.ts';
import { type OpenamAccess, OpenamTarget } from './support/openam-target.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of a real Keycloak. */
    readonly keycloak: string;
    /** A real OpenAM with an agent. */
    readonly openam: OpenamAccess;
  }
}

interface Started {
  stop(): Promise<void>;
}

/** Starts the servers that all tests of the run share, at the same time: OpenAM takes about a minute and a half. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running: Started[] = [];
  const stop = async (): Promise<void> => void (await Promise.all(running.map((server) => server.stop())));
  const [keycloak, openam] = await Promise.allSettled([Keycloak.start(), Openam.start()]);
  for (const start of [keycloak, openam]) if (start.status === 'fulfilled') running.push(start.value);
  try {
    if (keycloak.status === 'rejected') throw keycloak.reason;
    if (openam.status === 'rejected') throw openam.reason;
    project.provide('keycloak', keycloak.value.url);
    const { url, administrator } = openam.value;
    project.provide('openam', await OpenamTarget.withAgent(url, administrator));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}
