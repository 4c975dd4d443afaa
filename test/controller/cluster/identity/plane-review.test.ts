import { expect, it } from 'vitest';
import type { TrustSettings } from '../../../../contract/trust-settings.ts';
import { ApiError } from '../../../../controller/cluster/api/api-error.ts';
import { PLANE_AUDIENCE, PlaneReview } from '../../../../controller/cluster/identity/plane-review.ts';

const claims = (content: object): string => `e30.${Buffer.from(JSON.stringify(content)).toString('base64url')}.c2ln`;
const later = Math.floor(Date.now() / 1000) + 600;

function review(): { readonly planes: PlaneReview; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const api = {
    async call(request: unknown): Promise<never> {
      asked.push(request);
      throw new ApiError('away', { status: 0, reason: 'Unreachable' });
    },
  };
  return { planes: new PlaneReview({ api, groups: [] }), asked };
}

it.each([
  ['a word', 'a-bootstrap-token-that-is-not-known-here'],
  ['a token without content', 'a.b.c'],
  ['a token whose content is no object', `e30.${Buffer.from('1').toString('base64url')}.c2ln`],
  ['a token for nobody', claims({ exp: later })],
  ['a token for the API server', claims({ exp: later, aud: ['https://kubernetes.default.svc'] })],
  ['a token that has ended', claims({ exp: later - 3600, aud: [PLANE_AUDIENCE] })],
])('the API server is not called for %s', async (_, token) => {
  const { planes, asked } = review();
  expect(await planes.authenticate({ token })).toBeNull();
  expect(asked).toEqual([]);
});

it.each([
  ['for planes', claims({ exp: later, aud: PLANE_AUDIENCE })],
  ['for planes and others', claims({ exp: later, aud: ['others', PLANE_AUDIENCE] })],
  ['without an end', claims({ aud: [PLANE_AUDIENCE] })],
])('a token %s is reviewed by the API server, and rejected without its answer', async (_, token) => {
  const { planes, asked } = review();
  await expect(planes.authenticate({ token })).rejects.toThrow('the API server could not review the token');
  expect(asked).toHaveLength(1);
});

/** A review of a cluster that knows every token, whose ServiceAccount is the one that it is for. */
function knowing(account: string, groups: TrustSettings['groups']): PlaneReview {
  const metadata = { uid: 'uid-1', labels: {} };
  const user = {
    username: `system:serviceaccount:${account.replace('/', ':')}`,
    extra: { 'authentication.kubernetes.io/pod-name': ['pod'], 'authentication.kubernetes.io/pod-uid': ['uid-1'] },
  };
  const status = { authenticated: true, audiences: [PLANE_AUDIENCE], user };
  const call = async ({ method }: { readonly method: string }): Promise<{ status: number; body: unknown }> => ({
    status: 200,
    body: method === 'POST' ? { status } : { metadata },
  });
  return new PlaneReview({ api: { call }, groups });
}

it.each([
  ['shop/gateway', 'edge'],
  ['shop/orders', 'apps'],
  ['shop/vip', 'vip'],
  ['bank/gateway', 'bank'],
  ['bank/ledger', null],
  ['shops/orders', null],
])('a plane with the ServiceAccount %s is in the group %s', async (account, expected) => {
  const groups = [
    { name: 'edge', serviceAccounts: ['shop/gateway'], sidecars: false },
    { name: 'apps', serviceAccounts: ['shop/*'], sidecars: true },
    { name: 'vip', serviceAccounts: ['shop/vip'], sidecars: true },
    { name: 'bank', serviceAccounts: ['bank/gateway'], sidecars: false },
  ];
  const token = claims({ exp: later, aud: PLANE_AUDIENCE });
  const asked = knowing(account, groups).authenticate({ token });
  if (expected === null) return expect(asked).rejects.toThrow(`the ServiceAccount ${account} belongs to no group`);
  expect((await asked)?.identify({ name: 'liar', labels: {} }).group).toBe(expected);
});
