import { expect, it, onTestFinished, vi } from 'vitest';
import { ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { LeaseElection } from '../../controller/cluster/identity/lease-election.ts';
import { CuttableWire } from '../support/backends/cuttable-wire.ts';
import { type TestCluster, theCluster } from '../support/cluster/cluster.ts';
import { limitedAccount } from '../support/cluster/limited-account.ts';

const cluster: TestCluster = theCluster();
const patience = { timeout: 60_000, interval: 50 };
const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] }];
/** Short, but long enough for a busy machine to renew. */
const times = { leaseDuration: 6000, renewDeadline: 4000, retryPeriod: 500 };

interface Contender {
  readonly name: string;
  readonly election: LeaseElection;
  readonly wire: CuttableWire;
}

async function contenders(names: readonly string[]): Promise<Contender[]> {
  const account = await limitedAccount(cluster, 'lease', rules);
  const namespace = await cluster.namespace('lease');
  return await Promise.all(
    names.map(async (name) => {
      const wire = await CuttableWire.to(cluster.server);
      const api = new ClusterApi({ kubeconfig: account.kubeconfig(`https://127.0.0.1:${wire.port}`) });
      const identity = { name, address: `${name}.test:9444` };
      const election = new LeaseElection({ api, namespace, name: 'controller', identity, ...times, changed: () => {} });
      onTestFinished(async () => {
        await election.close();
        await api.close();
      });
      return { name, election, wire };
    }),
  );
}

const leaders = (all: readonly Contender[]): string => {
  const names = all.filter(({ election }) => election.isLeader).map(({ name }) => name);
  return names.join(' ');
};

it('elects one of three, and another one at once when it stops', async () => {
  const all = await contenders(['a', 'b', 'c']);
  for (const { election } of all) election.start();
  await vi.waitFor(() => expect(leaders(all)).toMatch(/^[abc]$/), patience);
  const first = all.find(({ election }) => election.isLeader)!;
  const others = all.filter((one) => one !== first);
  const { name, address } = { name: first.name, address: `${first.name}.test:9444` };
  await vi.waitFor(
    () =>
      expect(others.map(({ election }) => election.leader)).toEqual([
        { name, address },
        { name, address },
      ]),
    patience,
  );
  await first.election.close();
  await vi.waitFor(() => expect(leaders(others)).toMatch(/^[abc]$/), patience);
});

it('elects no second leader before a cut-off leader has stopped', async () => {
  const all = await contenders(['a', 'b']);
  const [a, b] = all as [Contender, Contender];
  a.election.start();
  await vi.waitFor(() => expect(leaders(all)).toBe('a'), patience);
  b.election.start();
  await vi.waitFor(() => expect(b.election.leader?.name).toBe('a'), patience);
  const seen: string[] = [];
  const watching = setInterval(() => {
    const now = leaders(all);
    if (seen.at(-1) !== now) seen.push(now);
  }, 5);
  onTestFinished(() => clearInterval(watching));
  a.wire.cut();
  await vi.waitFor(() => expect(leaders(all)).toBe('b'), patience);
  a.wire.mend();
  await vi.waitFor(() => expect(a.election.leader?.name).toBe('b'), patience);
  expect(leaders(all)).toBe('b');
  expect(seen).toEqual(['a', '', 'b']);
});

it('leads by an empty Lease of an installer without the right to create one, and the installer may apply it again', async () => {
  const namespace = await cluster.namespace('lease');
  const apply = async (version: string): Promise<void> => {
    const metadata = { name: 'controller', namespace, labels: { version } };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
    await cluster.run(['apply', '--server-side', '--field-manager', 'helm', '-f', '-'], JSON.stringify(lease));
  };
  await apply('one');
  const resources = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: ['controller'] };
  const account = await limitedAccount(cluster, 'filler', [{ ...resources, verbs: ['get', 'update'] }]);
  const api = new ClusterApi({ kubeconfig: account.kubeconfig() });
  const failures: string[] = [];
  const election = new LeaseElection({
    api,
    namespace,
    name: 'controller',
    identity: { name: 'a', address: 'a.test:9444' },
    ...times,
    changed: () => {},
    failed: (message) => failures.push(message),
  });
  onTestFinished(async () => {
    await election.close();
    await api.close();
  });
  election.start();
  await vi.waitFor(() => expect(election.isLeader).toBe(true), patience);
  await apply('two');
  const read = ['get', 'lease', 'controller', '-n', namespace, '-o', 'json'];
  const { spec, metadata } = JSON.parse(await cluster.run(read));
  expect(spec).toMatchObject({ holderIdentity: 'a@a.test:9444' });
  expect(metadata.labels).toEqual({ version: 'two' });
  const renewed = async (): Promise<string> => JSON.parse(await cluster.run(read)).spec.renewTime;
  await vi.waitFor(async () => expect(await renewed()).not.toBe(spec.renewTime), patience);
  expect(failures).toEqual([]);
});
