import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownCluster } from '../support/cluster/cluster.ts';
import { copyOfExamples } from '../support/programs/example-copy.ts';
import { followPage } from '../support/programs/followed-page.ts';

describe('in a cluster', () => {
  it('the page of the example matches the real output', async () => {
    const { env, run } = await reachableCluster();
    await followPage(await copyOfExamples(), 'examples/cluster/README.md', { env });
    await expect(run(['get', 'routes.gatewarden.io', '-n', 'shop'])).rejects.toThrow();
  });
});

async function reachableCluster() {
  const { kubeconfig, kubectl, run } = await ownCluster();
  return { run, env: { KUBECONFIG: kubeconfig, PATH: `${dirname(kubectl)}:${process.env['PATH'] ?? ''}` } };
}
