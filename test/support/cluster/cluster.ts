import { randomBytes } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { ApiServer, type ClusterAccess, runKubectl } from './api-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    cluster: ClusterAccess;
  }
}

/** A real API server. */
export interface TestCluster extends ClusterAccess {
  /** Runs the program kubectl with these words. */
  run(words: readonly string[], input?: string): Promise<string>;
  /** Creates a namespace that nobody else uses. */
  namespace(prefix: string): Promise<string>;
}

/** An API server of one test's own, which it may stop. */
export interface OwnCluster extends TestCluster {
  readonly apiServer: ApiServer;
}

/** The API server that all tests of the run share. */
export function theCluster(): TestCluster {
  return clusterAt(inject('cluster'));
}

/** An API server for the rest of the test. @param words further options of it */
export async function ownCluster(words: readonly string[] = []): Promise<OwnCluster> {
  const apiServer = await ApiServer.start(words);
  onTestFinished(() => apiServer.stop());
  return { ...clusterAt(apiServer.access), apiServer };
}

/** An API server that somebody has started. */
export function clusterAt(access: ClusterAccess): TestCluster {
  const run = (words: readonly string[], input?: string): Promise<string> => runKubectl(access, words, input);
  return {
    ...access,
    run,
    async namespace(prefix) {
      const name = `${prefix}-${randomBytes(4).toString('hex')}`;
      await run(['create', 'namespace', name]);
      return name;
    },
  };
}
