import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolOutput } from '../programs/tool-output.ts';
import { helmProgram } from './cluster-programs.ts';

/** The real helm, which keeps nothing of its own outside of one call. */
export interface Helm {
  /** Path of the program. */
  readonly path: string;
  /** Runs helm. @returns what it printed. @throws with what it said on its other output. */
  run(words: readonly string[], settings?: { readonly kubeconfig?: string; readonly input?: string }): Promise<string>;
}

export async function theHelm(): Promise<Helm> {
  const path = await helmProgram();
  return { path, run: (words, settings = {}) => runHelm(path, words, settings) };
}

function runHelm(
  path: string,
  words: readonly string[],
  { kubeconfig, input = '' }: { readonly kubeconfig?: string; readonly input?: string },
): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'gatewarden-helm-'));
  const env = {
    ...process.env,
    HELM_CACHE_HOME: join(home, 'cache'),
    HELM_CONFIG_HOME: join(home, 'config'),
    HELM_DATA_HOME: join(home, 'data'),
    // without one, helm must not find the cluster of whoever runs the tests
    KUBECONFIG: kubeconfig ?? join(home, 'none'),
  };
  return toolOutput(path, words, { env, input }).finally(() => rmSync(home, { recursive: true, force: true }));
}
