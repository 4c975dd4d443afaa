import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { ownCluster } from '../support/cluster.ts';
import { copyOfExamples } from '../support/example-copy.ts';
import { followPage } from '../support/followed-page.ts';

it('the page about clusters shows what happens', { timeout: 300_000 }, async () => {
  const { kubeconfig, kubectl, run } = await ownCluster();
  const env = { KUBECONFIG: kubeconfig, PATH: `${dirname(kubectl)}:${process.env['PATH'] ?? ''}` };
  await followPage(await copyOfExamples(), 'cluster/README.md', env);
  await expect(run(['get', 'routes.gatewarden.io', '-n', 'shop', '-o', 'name'])).rejects.toThrow();
});
