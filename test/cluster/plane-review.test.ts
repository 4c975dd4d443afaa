import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TrustSettings } from '../../contract/trust-settings.ts';
import { ClusterApi } from '../../controller/cluster/api/api-client.ts';
import { ApiError } from '../../controller/cluster/api/api-error.ts';
import {
  PLANE_AUDIENCE,
  PlaneReview,
  type PlaneReviewOptions,
} from '../../controller/cluster/identity/plane-review.ts';
import type { GrantEnd, PlaneGrant } from '../../controller/publish/channel/plane-authentication.ts';
import { publishedRoute, publishedState } from '../support/channel/published-routes.ts';
import { ServedChannel } from '../support/channel/served-channel.ts';
import { theCluster } from '../support/cluster/cluster.ts';

const cluster = theCluster();
const claims = { name: 'liar', labels: { app: 'liar', 'gatewarden.io/group': 'vip' } };
let namespace = '';
let groups: TrustSettings['groups'] = [];

beforeAll(async () => {
  namespace = await cluster.namespace('planes');
  for (const account of ['gateway', 'sidecar', 'stranger']) {
    await cluster.run(['create', 'serviceaccount', account, '-n', namespace]);
  }
  groups = [
    { name: 'default', serviceAccounts: [`${namespace}/gateway`], sidecars: false },
    { name: 'apps', serviceAccounts: [`${namespace}/sidecar`], sidecars: true },
  ];
});

async function pod(name: string, account = 'gateway'): Promise<string> {
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: 'gateway', index: '1' } },
    spec: { serviceAccountName: account, containers: [{ name: 'gateway', image: 'none' }] },
  };
  await cluster.run(['create', '-f', '-'], JSON.stringify(manifest));
  return cluster.run(['get', 'pod', name, '-n', namespace, '-o', 'jsonpath={.metadata.uid}']);
}

async function token(account: string, bound: readonly string[], audience = PLANE_AUDIENCE): Promise<string> {
  const words = ['create', 'token', account, '-n', namespace, '--audience', audience, '--duration', '15m', ...bound];
  return (await cluster.run(words)).trim();
}

const boundTo = (name: string): string[] => ['--bound-object-kind', 'Pod', '--bound-object-name', name];

function review(more: Partial<PlaneReviewOptions> = {}): PlaneReview {
  const api = new ClusterApi({ kubeconfig: cluster.kubeconfig });
  onTestFinished(() => api.close());
  return new PlaneReview({ api, groups, ...more });
}

function ending(grant: PlaneGrant | null): Promise<[string, GrantEnd]> {
  if (grant === null) throw new Error('no grant');
  return new Promise((resolve) => {
    const stop = grant.watch(grant.identify(claims), (...end) => resolve(end));
    onTestFinished(stop);
  });
}

describe('a plane in a cluster', () => {
  it('is identified by its token and Pod, not by its own claims', async () => {
    const uid = await pod('gw-1');
    const grant = await review().authenticate({ token: await token('gateway', boundTo('gw-1')) });
    const identity = grant?.identify(claims);
    expect(identity).toMatchObject({
      id: uid,
      name: 'gw-1',
      namespace,
      group: 'default',
      isSidecar: false,
      labels: { app: 'gateway', index: '1' },
    });
    const left = (identity?.until ?? 0) - Date.now();
    expect(left).toBeGreaterThan(13 * 60_000);
    expect(left).toBeLessThan(17 * 60_000);
  });

  it('is a sidecar if its group is one of sidecars', async () => {
    await pod('app-1', 'sidecar');
    const grant = await review().authenticate({ token: await token('sidecar', boundTo('app-1')) });
    expect(grant?.identify(claims)).toMatchObject({ group: 'apps', isSidecar: true });
  });

  it.each([
    ['a token for somebody else', () => token('gateway', boundTo('gw-2'), 'vault')],
    ['a token of the API server', () => token('gateway', boundTo('gw-2'), 'https://kubernetes.default.svc')],
    ['no token at all', async () => null],
    ['a word', async () => 'word'],
    ['a token that was changed', async () => `${await token('gateway', boundTo('gw-2'))}x`],
  ])('is rejected with %s', async (_, made) => {
    await pod('gw-2').catch(() => '');
    expect(await review().authenticate({ token: await made() })).toBeNull();
  });

  it('needs a token that is bound to a Pod', async () => {
    await expect(review().authenticate({ token: await token('gateway', []) })).rejects.toThrow('not bound to a Pod');
  });

  it('needs a group that has its ServiceAccount', async () => {
    await pod('other-1', 'stranger');
    const asked = review().authenticate({ token: await token('stranger', boundTo('other-1')) });
    await expect(asked).rejects.toThrow(`the ServiceAccount ${namespace}/stranger belongs to no group`);
  });

  it('is rejected when its Pod is deleted, also if another Pod has the name', async () => {
    await pod('gw-3');
    const held = await token('gateway', boundTo('gw-3'));
    await cluster.run(['delete', 'pod', 'gw-3', '-n', namespace, '--force', '--grace-period=0']);
    await pod('gw-3');
    expect(await review().authenticate({ token: held })).toBeNull();
  });

  it('loses its stream with its Pod, and has to reconnect when its labels change', async () => {
    await pod('gw-4');
    const planes = review({ recheck: 20 });
    const held = await token('gateway', boundTo('gw-4'));
    const changed = ending(await planes.authenticate({ token: held }));
    await cluster.run(['label', 'pod', 'gw-4', '-n', namespace, 'index=2', '--overwrite']);
    expect(await changed).toEqual(["the labels of the data plane's Pod have changed", 'changed']);
    const gone = ending(await planes.authenticate({ token: held }));
    await cluster.run(['delete', 'pod', 'gw-4', '-n', namespace, '--force', '--grace-period=0']);
    expect(await gone).toEqual(['the Pod of the data plane no longer exists', 'revoked']);
  });

  it('loses its stream when its group does not have it any more, or is another one', async () => {
    await pod('gw-5');
    const planes = review();
    const held = await token('gateway', boundTo('gw-5'));
    const moved = ending(await planes.authenticate({ token: held }));
    planes.useGroups([{ name: 'edge', serviceAccounts: [`${namespace}/gateway`], sidecars: false }]);
    expect(await moved).toEqual(['the data plane belongs to another group now', 'changed']);
    const gone = ending(await planes.authenticate({ token: held }));
    planes.useGroups([]);
    expect((await gone)[1]).toBe('revoked');
  });

  it('is rejected while the API server is unreachable, and keeps an existing stream', async () => {
    await pod('gw-6');
    const api = new ClusterApi({ kubeconfig: cluster.kubeconfig });
    onTestFinished(() => api.close());
    let isAway = false;
    let looks = 0;
    let looked = (): void => undefined;
    const lookedTwice = new Promise<void>((resolve) => {
      looked = () => ++looks === 2 && resolve();
    });
    const planes = review({
      recheck: 10,
      api: {
        call: (request) => {
          if (!isAway) return api.call(request);
          looked();
          return Promise.reject(new ApiError('away', { status: 0, reason: 'Unreachable' }));
        },
      },
    });
    const held = await token('gateway', boundTo('gw-6'));
    const grant = await planes.authenticate({ token: held });
    const ends: string[] = [];
    isAway = true;
    onTestFinished(grant?.watch(grant.identify(claims), (reason) => ends.push(reason)) ?? (() => undefined));
    await lookedTwice;
    expect(ends).toEqual([]);
    await expect(planes.authenticate({ token: held })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('gets only the routes that select it over the channel', async () => {
    await pod('gw-7');
    const channel = await new ServedChannel({ server: { authenticator: review() } }).start();
    onTestFinished(() => channel.close());
    const selectors = new Map([['theirs', { matchLabels: { app: 'liar' }, matchExpressions: [] }]]);
    channel.sessions.publish(publishedState([publishedRoute('ours'), publishedRoute('theirs')], { selectors }));
    const plane = channel.plane({ token: await token('gateway', boundTo('gw-7')) }).hello(claims);
    expect(await plane.message('welcome')).toMatchObject({ group: 'default', namespace, labels: { app: 'gateway' } });
    expect((await plane.update()).set).toMatchObject([{ id: 'shop.ours' }]);
  });
});
