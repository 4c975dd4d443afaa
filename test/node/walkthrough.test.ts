import { afterAll, it } from 'vitest';
import { copyOfExamples } from '../support/programs/example-copy.ts';
import { followPage } from '../support/programs/followed-page.ts';
import { uninstall } from './support/installation.ts';
import { theNode } from './support/test-node.ts';

const node = theNode();

afterAll(() => uninstall(node, 'shop'));

it('docs/getting-started.md matches the behaviour of a cluster', async () => {
  const { PATH, KUBECONFIG } = node.access.env;
  const helm = await node.helmFolder();
  await followPage(await copyOfExamples(), 'docs/getting-started.md', {
    env: { KUBECONFIG, PATH: `${helm}:${PATH}` },
    patience: 120_000,
  });
});
