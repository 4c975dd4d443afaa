import { describe, expect, it, onTestFinished } from 'vitest';
import type { CertificateAuthority } from '../../controller/certificates/certificate-authority.ts';
import { ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { SharedAuthority, type SharedAuthorityOptions } from '../../controller/cluster/identity/shared-authority.ts';
import { theCluster } from '../support/cluster/cluster.ts';
import { limitedAccount } from '../support/cluster/limited-account.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Controllers of one namespace, whose clock is set by the test. */
async function controllers(
  lifetimes?: SharedAuthorityOptions['lifetimes'],
  given?: { readonly namespace: string; readonly kubeconfig: string },
): Promise<{
  readonly clock: { now: number };
  open(isLeader: boolean): Promise<{ shared: SharedAuthority; changes: CertificateAuthority[] }>;
  bundle(): Promise<string>;
  readonly namespace: string;
}> {
  const cluster = theCluster();
  const namespace = given?.namespace ?? (await cluster.namespace('authority'));
  const api = new ClusterApi({ kubeconfig: given?.kubeconfig ?? cluster.kubeconfig });
  onTestFinished(() => api.close());
  const clock = { now: Date.now() };
  return {
    clock,
    namespace,
    async open(isLeader) {
      const changes: CertificateAuthority[] = [];
      const shared = await SharedAuthority.open({
        api,
        namespace,
        secret: 'gatewarden-certificates',
        configMap: 'gatewarden-authority',
        clock: { wall: () => clock.now, steady: () => performance.now(), after: () => () => undefined },
        ...(lifetimes === undefined ? {} : { lifetimes }),
        isLeader: () => isLeader,
        changed: (authority) => changes.push(authority),
        failed: (message) => expect.fail(message),
      });
      onTestFinished(() => shared.close());
      return { shared, changes };
    },
    bundle: () =>
      cluster.run(['get', 'configmap', 'gatewarden-authority', '-n', namespace, '-o', 'jsonpath={.data.ca\\.crt}']),
  };
}

it('controllers that start together share one authority', async () => {
  const { open } = await controllers();
  const opened = await Promise.all([open(false), open(false), open(false)]);
  expect(new Set(opened.map(({ shared }) => shared.authority.serialised())).size).toBe(1);
});

it('only the leader publishes the CA certificates for data planes', async () => {
  const { open, bundle } = await controllers();
  const follower = await open(false);
  await follower.shared.check();
  await expect(bundle()).rejects.toThrow(/not found/);
  const leader = await open(true);
  await leader.shared.check();
  expect(await bundle()).toBe(leader.shared.authority.bundle());
});

it('the leader rotates the CA on time, and the others use the new one', async () => {
  const { clock, open, bundle } = await controllers({ authority: 30 * DAY, overlap: DAY });
  const leader = await open(true);
  const follower = await open(false);
  const first = leader.shared.authority.serialised();
  await leader.shared.check();
  expect(leader.changes).toEqual([]);
  clock.now += 21 * DAY;
  await follower.shared.check();
  expect(follower.shared.authority.serialised()).toBe(first);
  await leader.shared.check();
  await follower.shared.check();
  expect(leader.changes).toHaveLength(1);
  expect(follower.changes.map((authority) => authority.serialised())).toEqual([leader.shared.authority.serialised()]);
  expect((await bundle()).match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
});

it('a deleted CA is restored, because data planes trust it', async () => {
  const cluster = theCluster();
  const { open, namespace } = await controllers();
  const leader = await open(true);
  const before = leader.shared.authority.serialised();
  await cluster.run(['delete', 'secret', 'gatewarden-certificates', '-n', namespace]);
  await leader.shared.check();
  expect((await open(false)).shared.authority.serialised()).toBe(before);
  expect(leader.changes).toEqual([]);
});

/** The empty objects of an installer, and controllers that may fill them and create nothing. */
async function installed() {
  const cluster = theCluster();
  const namespace = await cluster.namespace('installed');
  const labels = { 'app.kubernetes.io/managed-by': 'Helm' };
  const annotations = { 'meta.helm.sh/release-name': 'gatewarden' };
  const apply = async (version: string): Promise<void> => {
    const metadata = { namespace, labels: { ...labels, version }, annotations };
    const items = [
      { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, name: 'gatewarden-certificates' }, type: 'Opaque' },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name: 'gatewarden-authority' } },
    ];
    const words = ['apply', '--server-side', '--field-manager', 'helm', '-f', '-'];
    await cluster.run(words, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  };
  await apply('one');
  const { kubeconfig } = await limitedAccount(cluster, 'filler', [
    { apiGroups: [''], resources: ['secrets'], resourceNames: ['gatewarden-certificates'], verbs: ['get', 'update'] },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: ['gatewarden-authority'], verbs: ['patch'] },
  ]);
  const secret = async (): Promise<{ metadata: object; data?: Record<string, string> }> =>
    JSON.parse(await cluster.run(['get', 'secret', 'gatewarden-certificates', '-n', namespace, '-o', 'json']));
  return {
    ...(await controllers(undefined, { namespace, kubeconfig: kubeconfig() })),
    apply,
    secret,
    labels,
    annotations,
  };
}

describe('objects that an installer has made, empty', () => {
  it('are filled without the right to create any, and stay filled when the installer applies them again', async () => {
    const { open, bundle, apply, secret, labels, annotations } = await installed();
    const leader = await open(true);
    await leader.shared.check();
    const filled = await secret();
    expect(filled.metadata).toMatchObject({ labels: { ...labels, version: 'one' }, annotations });
    await apply('two');
    expect(await secret()).toMatchObject({ metadata: { labels: { version: 'two' } }, data: filled.data });
    expect(await bundle()).toBe(leader.shared.authority.bundle());
    expect((await open(false)).shared.authority.serialised()).toBe(leader.shared.authority.serialised());
  });

  it('are filled once by controllers that start together', async () => {
    const { open } = await installed();
    const opened = await Promise.all([open(false), open(false), open(false), open(false)]);
    expect(new Set(opened.map(({ shared }) => shared.authority.serialised())).size).toBe(1);
  });

  it('are filled again with the same content after they were emptied', async () => {
    const cluster = theCluster();
    const { open, namespace, bundle, secret } = await installed();
    const leader = await open(true);
    await leader.shared.check();
    const before = await secret();
    const emptied = ['--type=json', '-p', JSON.stringify([{ op: 'remove', path: '/data' }])];
    await cluster.run(['patch', 'secret', 'gatewarden-certificates', '-n', namespace, ...emptied]);
    await cluster.run(['patch', 'configmap', 'gatewarden-authority', '-n', namespace, ...emptied]);
    await leader.shared.check();
    expect((await secret()).data).toEqual(before.data);
    expect(await bundle()).toBe(leader.shared.authority.bundle());
    expect(leader.changes).toEqual([]);
  });
});
