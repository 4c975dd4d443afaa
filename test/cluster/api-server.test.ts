import { expect, it } from 'vitest';
import { ownCluster, theCluster } from '../support/cluster/cluster.ts';

it('the API server of the tests has the requested release, with RBAC', async () => {
  const cluster = theCluster();
  const version = JSON.parse(await cluster.run(['version', '-o', 'json'])) as { serverVersion: { gitVersion: string } };
  expect(version.serverVersion.gitVersion).toBe('v1.36.3');
  const namespace = await cluster.namespace('rbac');
  await cluster.run(['create', 'serviceaccount', 'nobody', '-n', namespace]);
  const asNobody = ['--as', `system:serviceaccount:${namespace}:nobody`];
  await expect(cluster.run(['get', 'secrets', '-n', namespace, ...asNobody])).rejects.toThrow(/forbidden/);
});

it('an API server of a test can be stopped, started and compacted', async () => {
  const cluster = await ownCluster();
  const namespace = await cluster.namespace('kept');
  await cluster.apiServer.compact();
  await cluster.apiServer.stopApiServer();
  await expect(cluster.run(['get', 'namespace', namespace])).rejects.toThrow();
  await cluster.apiServer.startApiServer();
  expect(await cluster.run(['get', 'namespace', namespace])).toContain(namespace);
});
