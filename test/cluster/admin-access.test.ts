import type { IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { CallerGate } from '../../controller/cluster/crest/caller-gate.ts';
import type { AdminGuard } from '../../platform/admin/admin-guard.ts';
import { type TestCluster, theCluster } from '../support/cluster/cluster.ts';
import { limitedAccount } from '../support/cluster/limited-account.ts';

const cluster: TestCluster = theCluster();
const reviews = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
const tokens = { reader: '', nobody: '' };

beforeAll(async () => {
  tokens.reader = (await limitedAccount(cluster, 'reader', [{ nonResourceURLs: ['/status'], verbs: ['get'] }])).token;
  tokens.nobody = (await limitedAccount(cluster, 'nobody', [])).token;
});

async function guard(): Promise<AdminGuard> {
  const account = await limitedAccount(cluster, 'controller', reviews);
  return new CallerGate({ api: new ClusterApi({ kubeconfig: account.kubeconfig() }), rate: 100 }).pathGuard;
}

const asking = (authorization?: string, method = 'GET'): IncomingMessage =>
  ({
    ...{ method, socket: { remoteAddress: '127.0.0.1' } },
    headersDistinct: authorization === undefined ? {} : { authorization: [authorization] },
  }) as unknown as IncomingMessage;

describe('beyond health and metrics, the admin address', () => {
  it('admits users whose RBAC allows the path, for that path only', async () => {
    const { admit } = await guard();
    expect(await admit(asking(`Bearer ${tokens.reader}`), '/status')).toBe(null);
    expect(await admit(asking(`Bearer ${tokens.reader}`, 'HEAD'), '/status')).toBe(null);
    expect(await admit(asking(`Bearer ${tokens.reader}`, 'DELETE'), '/status')).toMatchObject({ status: 403 });
    expect(await admit(asking(`Bearer ${tokens.reader}`), '/dump')).toMatchObject({ status: 403 });
    expect(await admit(asking(`Bearer ${tokens.nobody}`), '/status')).toMatchObject({
      status: 403,
      message: expect.stringMatching(
        /^system:serviceaccount:nobody-\w+:nobody may not get the non-resource URL \/status$/,
      ),
    });
  });

  it('rejects users that the cluster does not know', async () => {
    const { admit } = await guard();
    for (const authorization of [undefined, 'Bearer', 'Bearer not-a-token', `Basic ${tokens.reader}`, 'Bearer a b']) {
      expect(await admit(asking(authorization), '/status')).toMatchObject({ status: 401 });
    }
  });

  it('rejects everyone when the API server is unreachable', async () => {
    const account = await limitedAccount(cluster, 'powerless', []);
    const { admit } = new CallerGate({ api: new ClusterApi({ kubeconfig: account.kubeconfig() }), rate: 100 })
      .pathGuard;
    expect(await admit(asking(`Bearer ${tokens.reader}`), '/status')).toMatchObject({ status: 503 });
  });
});
