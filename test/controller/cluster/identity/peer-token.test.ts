import { describe, expect, it } from 'vitest';
import { isPeerToken, peerToken } from '../../../../controller/cluster/identity/peer-token.ts';

const now = 1_800_000_000_000;

describe('the token of a controller', () => {
  it('is accepted by controllers that share its secret', () => {
    expect(isPeerToken(peerToken('shared', now), 'shared', now + 3_500_000)).toBe(true);
  });

  it.each([
    ['another secret', peerToken('other', now), now],
    ['an hour later', peerToken('shared', now), now + 3_600_001],
    ['an hour before', peerToken('shared', now), now - 3_600_001],
    ['another moment', peerToken('shared', now).replace(/^\d+/, String(now + 1)), now],
    ['a shorter seal', peerToken('shared', now).slice(0, -1), now],
    ['no token', '', now],
    ['a token of the cluster', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', now],
  ])('is rejected: %s', (_, token, at) => {
    expect(isPeerToken(token, 'shared', at)).toBe(false);
  });
});
