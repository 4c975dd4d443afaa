import { expect, it } from 'vitest';
import { ApiError } from '../../../controller/cluster/api-error.ts';
import { PLANE_AUDIENCE, PlaneReview } from '../../../controller/cluster/plane-review.ts';

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
])('the API server is not asked about %s', async (_, token) => {
  const { planes, asked } = review();
  expect(await planes.authenticate({ token })).toBeNull();
  expect(asked).toEqual([]);
});

it.each([
  ['for planes', claims({ exp: later, aud: PLANE_AUDIENCE })],
  ['for planes and others', claims({ exp: later, aud: ['others', PLANE_AUDIENCE] })],
  ['without an end', claims({ aud: [PLANE_AUDIENCE] })],
])('it is asked about a token %s, and without its answer nobody is let in', async (_, token) => {
  const { planes, asked } = review();
  await expect(planes.authenticate({ token })).rejects.toThrow('could not be asked');
  expect(asked).toHaveLength(1);
});
